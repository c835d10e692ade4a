/** Reads single values of requests. Each function throws an `invalid` fault that names the parameter and what it accepts. */
import { Fault } from '../../../../../core/plugin.js';
import { type Granularity, granularities } from '../../../disclosure.js';
import { type Include, includes, largestLimit, type Pagination } from './request.js';

export function invalid(message: string): Fault {
  return new Fault('invalid', message);
}

/** A value in an error message, truncated. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length <= 60 ? text : `${text.slice(0, 60)}…`;
}

export function textOf(name: string, value: unknown): string {
  if (typeof value === 'string') return value;
  throw invalid(`${name} must be text; got ${shown(value)}`);
}

/** A whole number, or its decimal digits as text. */
export function wholeOf(name: string, value: unknown): number {
  const number = typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : value;
  if (typeof number === 'number' && Number.isSafeInteger(number) && number >= 0) return number;
  throw invalid(`${name} must be a whole number from 0; got ${shown(value)}`);
}

/** One or two whole numbers: a list, or one of them. */
export function wholesOf(name: string, value: unknown): readonly number[] {
  const list = Array.isArray(value) ? value : [value];
  if (list.length === 1 || list.length === 2) return list.map((one) => wholeOf(name, one));
  throw invalid(`${name} must be one whole number, or two for a range; got ${shown(value)}`);
}

export function truthOf(name: string, value: unknown): boolean {
  if (value === true || value === 'true') return true;
  if (value === false || value === 'false') return false;
  throw invalid(`${name} must be true or false; got ${shown(value)}`);
}

export function granularityOf(name: string, value: unknown): Granularity {
  const known = granularities.find((one) => one === value);
  if (known) return known;
  throw invalid(`${name} must be ${granularities.join(', ')}; got ${shown(value)}`);
}

export function includeOf(name: string, value: unknown): Include {
  const known = includes.find((one) => one === value);
  if (known) return known;
  throw invalid(`${name} must be ${includes.join(', ')}; got ${shown(value)}`);
}

/** The page as served: at most `largestLimit` records, which a limit of 0 asks for, too. */
export function paginationOf(skip: number, limit: number, page: string | undefined): Pagination {
  if (page !== undefined && skip > 0) throw invalid('skip and currentPage exclude each other');
  const served = limit === 0 ? largestLimit : Math.min(limit, largestLimit);
  return { skip: limit === 0 ? 0 : skip, limit: served, ...(page !== undefined && { page }) };
}
