/** Numbers in Swedish notation. */
const whole = new Intl.NumberFormat('sv');
const precise = new Intl.NumberFormat('sv', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

export const number = (value: number) => whole.format(value);
export const decimal = (value: number) => precise.format(value);
/** A count with its noun. */
export const plural = (count: number, one: string, many: string) => `${number(count)} ${count === 1 ? one : many}`;
