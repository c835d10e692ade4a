/** Numbers in the notation of each language, and the type of what is translated. */

/** `tag` is a BCP 47 language tag. */
function numbersIn(tag: string) {
  const whole = once(() => new Intl.NumberFormat(tag));
  const precise = once(() => new Intl.NumberFormat(tag, { minimumFractionDigits: 2, maximumFractionDigits: 2 }));
  const third = once(() => new Intl.NumberFormat(tag, { minimumFractionDigits: 3, maximumFractionDigits: 3 }));
  const names = once(() => new Intl.ListFormat(tag));
  const number = (value: number) => whole().format(value);
  return {
    number,
    /** With two decimals. */
    decimal: (value: number) => precise().format(value),
    /** With three decimals. */
    precise: (value: number) => third().format(value),
    /** A depth: two decimals, none if it is whole (as medians and maxima are) or from 1,000 on, where they tell nothing. */
    measuredDepth(value: number): string {
      const rounded = Math.round(value * 100) / 100;
      const isWhole = Number.isInteger(rounded) || rounded >= 1000;
      return `${isWhole ? number(Math.round(rounded)) : precise().format(rounded)}×`;
    },
    /** `a, b and c`. */
    listed: (all: readonly string[]) => names().format(all),
    /** A count with its noun. */
    plural: (count: number, one: string, many: string) => `${number(count)} ${count === 1 ? one : many}`,
  };
}

// Built once for all files of a language, and when first used: a formatter takes milliseconds to build.
export const english = numbersIn('en');
export const swedish = numbersIn('sv');

function once<Value>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** The same keys as the English texts, with texts of any language. */
export type Translation<English> = English extends string
  ? string
  : English extends (...parameters: infer Parameters) => string
    ? (...parameters: Parameters) => string
    : { readonly [Key in keyof English]: Translation<English[Key]> };
