// What is shown, in the address: a link to a page opens it where it was.

export function readState(defaults) {
  const given = new URLSearchParams(location.hash.slice(1));
  const state = { ...defaults };
  for (const name of Object.keys(defaults)) if (given.has(name)) state[name] = given.get(name);
  return state;
}

function writeState(state, defaults) {
  const words = new URLSearchParams();
  for (const [name, value] of Object.entries(state)) if (value !== defaults[name]) words.set(name, value);
  history.replaceState(null, "", `#${words}`);
}

// A page's choices, how to change some of them, and how to take over what the address says now.
export function addressState(defaults) {
  const state = readState(defaults);
  return {
    state,
    change(some) {
      Object.assign(state, some);
      writeState(state, defaults);
    },
    reread() {
      Object.assign(state, readState(defaults));
    },
  };
}

export function onStateChange(handle) {
  addEventListener("hashchange", handle);
}
