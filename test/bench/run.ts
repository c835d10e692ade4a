/**
 * Measurements, run by hand: `npm run bench` for all, `npm run bench -- load query` for some, `--alleles=1000000` and
 * the like for their options. Figures are ratios against something measured in the same run.
 */
import { readdir } from 'node:fs/promises';

export type Print = (line: string) => void;
export type BenchOptions = Readonly<Record<string, string>>;
export type Bench = (print: Print, options: BenchOptions) => Promise<void>;

const words: string[] = [];
for (const word of process.argv.slice(2)) {
  const last = words.at(-1) ?? '';
  // `--seed 7` is `--seed=7`: no measurement is called like a number.
  if (/^\d+$/.test(word) && /^--[^=]+$/.test(last)) words[words.length - 1] = `${last}=${word}`;
  else words.push(word);
}
const options = Object.fromEntries(
  words
    .filter((word) => word.startsWith('--'))
    .map((word) => {
      const [name = '', value = 'true'] = word.slice(2).split('=');
      return [name, value];
    }),
);
const chosen = words.filter((word) => !word.startsWith('--'));
const files = (await readdir(new URL('.', import.meta.url))).filter((file) => file.endsWith('.bench.ts')).sort();
const names = files.map((file) => file.slice(0, -'.bench.ts'.length));
const unknown = chosen.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  console.error(`No measurement is called ${unknown.join(', ')}; there are: ${names.join(', ')}`);
  process.exit(2);
}
try {
  for (const name of chosen.length > 0 ? chosen : names) {
    console.log(`\n${name}`);
    const { default: bench } = (await import(`./${name}.bench.ts`)) as { default: Bench };
    await bench((line) => console.log(`  ${line}`), options);
  }
} finally {
  const { stopPostgres } = await import('../support/postgres.js');
  await stopPostgres();
}
