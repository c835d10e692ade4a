/**
 * The engine on which a file tests what a plugin or the core does with a storage, whatever the engine. The conformance
 * kit runs every case of every contract on each engine; above the contracts one engine finds what the other does, so
 * each file names one of them, and about half of the files name each. TEST_ENGINES=all (`.ci/long`) runs them on all.
 */
export function dealt<Engine extends { name: string }>(
  engines: readonly Engine[],
  name: 'sqlite' | 'postgres',
): readonly Engine[] {
  if (process.env.TEST_ENGINES === 'all') return engines;
  const found = engines.filter((engine) => engine.name.toLowerCase().startsWith(name));
  if (found.length !== 1)
    throw new Error(`No engine is called ${name}: ${engines.map((each) => each.name).join(', ')}`);
  return found;
}
