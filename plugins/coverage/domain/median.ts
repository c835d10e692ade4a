/** The median of numbers; the mean of the two in the middle if they are even in number. Undefined if there are none. */
export function medianOf(values: readonly number[]): number | undefined {
  if (values.length === 0) return undefined;
  const sorted = Float64Array.from(values).sort();
  const [low, high] = [(sorted.length - 1) >> 1, sorted.length >> 1];
  return ((sorted[low] as number) + (sorted[high] as number)) / 2;
}
