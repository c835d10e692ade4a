/** Depths along an interval as SVG: the mean over the range of each part. For notebooks in a browser or beside it. */
import { openD4 } from 'trefoil/d4/browser';

// await depthPlot('https://example.org/sample.d4', { chromosome: 'chr1', begin: 9_000, end: 13_000 })
export async function depthPlot(location, interval) {
  const file = await openD4(location);
  const { size = interval.end } = file.track().chromosomes.find(({ name }) => name === interval.chromosome) ?? {};
  const shown = { ...interval, end: Math.min(interval.end, size) };
  const { means, min, max } = await file.profile({ interval: shown, parts: 400, range: true });
  file.close();
  const top = Math.max(...max, 1);
  const width = 400 / Math.max(1, means.length - 1);
  const points = (depths) => Array.from(depths, (depth, i) => `${width * i},${100 - (100 * depth) / top}`);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 100">
<polygon fill="lightsteelblue" points="${[...points(max), ...points(min).reverse()].join(' ')}"/>
<polyline fill="none" stroke="navy" points="${points(means).join(' ')}"/>
</svg>`;
}
