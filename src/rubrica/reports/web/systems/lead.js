// The result in words: who leads in the measure chosen, how surely, and in how many others.

import { el } from "../dom.js";
import { foreign, namesList } from "../foreign.js";
import { count, number, shareOfOthers } from "../format.js";
import { lead } from "../shell.js";
import { MEASURES, SYSTEMS, data, headline, interval, leadersOf, measureNow, testsAgainst, tooFewRounds, verdict } from "./state.js";

function ranked(systems, measure) {
  const sign = measure.lower_is_better ? 1 : -1;
  return [...systems].sort((a, b) => sign * (interval(a, measure).value - interval(b, measure).value));
}

function testsSentence(leaders, measure) {
  const others = SYSTEMS.filter((system) => !leaders.includes(system) && interval(system, measure).value !== null);
  if (!others.length) return ".";
  if (!data.test) return ". Nothing was tested.";
  const units = data.clusters ?? data.inputs.length,
    // Of two systems, one of which wins everywhere, so many swaps of their outputs leave no smaller difference.
    least = 2 / 2 ** units;
  if (/randomi[sz]ation|permutation/.test(data.test) && least > data.alpha)
    return `. ${count(units, data.clusters === null ? "input" : "cluster")} ${units === 1 ? "is" : "are"} too few to tell systems apart: no p can be below ${Number(least.toPrecision(3))}.`;
  const few = tooFewRounds(data.systems.length - 1, `${others.length + leaders.length} systems`);
  if (few) return `. ${few}`;
  const worse = new Map(leaders.map((leader) => [leader, testsAgainst(leader, measure)]));
  const better = (leader, system) => verdict(worse.get(leader).get(system.at), measure).kind === "worse";
  const open = others.filter((system) => !leaders.every((leader) => better(leader, system)));
  if (!open.length) return [", significantly better than ", others.length > 1 ? shareOfOthers(others.length, others.length, "system") : foreign(others[0].name), "."];
  const beaten = others.length - open.length;
  return [
    beaten ? `, significantly better than ${shareOfOthers(beaten, others.length, "system")}. ` : ". ",
    namesList(ranked(open, measure).map((system) => system.name)),
    " may be as good.",
  ];
}

export function resultSentence() {
  const measure = measureNow();
  const leaders = leadersOf(measure);
  if (!leaders.length) return lead(`No system has a value of ${measure.name}.`);
  const [leader] = leaders,
    { value, lower, upper } = interval(leader, measure);
  const alone = SYSTEMS.length === 1,
    tied = leaders.length > 1;
  const shown = headline.length > 1 ? headline : MEASURES;
  const others = shown.filter((one) => one.at !== measure.at);
  const leads = others.filter((one) => leadersOf(one)[0] === leader && leadersOf(one).length === 1).length;
  return lead(
    el("strong", {}, namesList(leaders.map((system) => system.name))),
    alone ? `: ${measure.name} ` : ` ${tied ? "have" : "has"} the ${measure.lower_is_better ? "lowest (best)" : "highest"} ${measure.name}, `,
    number(value, measure.digits),
    !tied && lower !== null && ` (${data.resampling.confidence}\u00a0% interval ${number(lower, measure.digits)} to ${number(upper, measure.digits)})`,
    testsSentence(leaders, measure),
    !alone && !tied && others.length > 0 && ` It ${others.length === 1 && !leads ? "does not lead" : "leads"} in ${shareOfOthers(leads, others.length, "measure")} shown.`,
  );
}
