/** Ways to read a list of names, some with quadratic work and one without: examples for the meter of work. */

/** As headers of VCF files were once checked. */
export function quadraticSearch(names: string[]): unknown {
  return names.find((name, i) => names.indexOf(name) !== i);
}

export function quadraticMembership(names: string[]): unknown {
  const seen: string[] = [];
  for (const name of names) if (!seen.includes(name)) seen.push(name);
  return seen.length;
}

export function quadraticLoop(names: string[]): unknown {
  let doubles = 0;
  for (const one of names) for (const other of names) if (one === other) doubles += 1;
  return doubles;
}

export function quadraticSpread(names: string[]): unknown {
  let all: string[] = [];
  for (const name of names) all = [...all, name];
  return all;
}

export function quadraticConcat(names: string[]): unknown {
  let all: string[] = [];
  for (const name of names) all = all.concat(name);
  return all;
}

export function quadraticShift(names: string[]): unknown {
  const queue = [...names];
  while (queue.length > 0) queue.shift();
  return queue;
}

export function quadraticPattern(names: string[]): unknown {
  const text = names.join(' ');
  return names.map((name) => new RegExp(`${name}$`).test(text));
}

export function quadraticSets(names: string[]): unknown {
  return names.filter((name) => new Set(names).has(name));
}

export function linear(names: string[]): unknown {
  const seen = new Set(names);
  return names
    .filter((name) => seen.has(name))
    .join(' ')
    .split(' ').length;
}
