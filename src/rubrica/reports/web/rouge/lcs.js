// Longest common subsequences: the one path that ROUGE's tie rule chooses (as rubrica/core/python/lcs.py).

// For each summary token a row of bits; bit i says that the table rises at reference token i. The
// whole column is added at once, 32 bits at a time (Hyyrö 2004).
function risingBits(reference, summary) {
  const size = Math.ceil(reference.length / 32);
  const where = new Map();
  reference.forEach((token, i) => {
    if (!where.has(token)) where.set(token, new Uint32Array(size));
    where.get(token)[i >> 5] |= 1 << (i & 31);
  });
  let level = new Uint32Array(size).fill(0xffffffff);
  return summary.map((token) => {
    const places = where.get(token);
    if (!places) return level;
    const next = new Uint32Array(size);
    let carry = 0;
    for (let w = 0; w < size; w += 1) {
      const matches = (level[w] & places[w]) >>> 0;
      const sum = level[w] + matches + carry;
      carry = sum > 0xffffffff ? 1 : 0;
      next[w] = sum | (level[w] & ~matches);
    }
    level = next;
    return level;
  });
}

// Places [in the reference, in the summary] of the common tokens, the last first.
export function lcsPath(reference, summary) {
  const columns = risingBits(reference, summary);
  const path = [];
  let i = reference.length,
    j = summary.length;
  while (i && j) {
    if (reference[i - 1] === summary[j - 1]) {
      i -= 1;
      j -= 1;
      path.push([i, j]);
    } else if ((columns[j - 1][(i - 1) >> 5] >>> ((i - 1) & 31)) & 1) i -= 1;
    else j -= 1; // this row is greater than the one above
  }
  return path;
}

const DIAGONAL = 0,
  ABOVE = 1,
  LEFT = 2;

// As lcsPath, with runs preferred; powers[k] is k to the weight.
export function weightedPath(reference, summary, powers) {
  const width = summary.length + 1;
  const moves = new Uint8Array(reference.length * width);
  let above = new Float64Array(width),
    score = new Float64Array(width),
    runAbove = new Int32Array(width),
    run = new Int32Array(width);
  reference.forEach((token, i) => {
    for (let j = 1; j < width; j += 1) {
      if (token === summary[j - 1]) {
        const k = runAbove[j - 1];
        // In this order: ties are decided by the last bit.
        score[j] = above[j - 1] + powers[k + 1] - powers[k];
        run[j] = k + 1;
      } else {
        const up = above[j] >= score[j - 1];
        score[j] = up ? above[j] : score[j - 1];
        run[j] = 0;
        moves[i * width + j] = up ? ABOVE : LEFT;
      }
    }
    [above, score] = [score, above];
    [runAbove, run] = [run, runAbove];
  });
  const path = [];
  let i = reference.length,
    j = summary.length;
  while (i && j) {
    const move = moves[(i - 1) * width + j];
    if (move === DIAGONAL) path.push([i - 1, j - 1]);
    if (move !== LEFT) i -= 1;
    if (move !== ABOVE) j -= 1;
  }
  return path;
}
