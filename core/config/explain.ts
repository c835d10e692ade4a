/** What zod says inside of an issue: why each alternative of a union, or a key of a record, was refused. */
import type { StandardIssue } from '../schema.js';

type Nested = StandardIssue & { code?: unknown; errors?: unknown; issues?: unknown };

/**
 * The issues behind an issue that only says that its value is not valid. Of a union, those of the one alternative whose form
 * the value has; if it has the form of none or of several, what all of them expect.
 */
export function explained(issue: StandardIssue): readonly StandardIssue[] {
  const { code, errors, issues } = issue as Nested;
  const path = issue.path ?? [];
  if (code === 'invalid_key' && Array.isArray(issues) && issues.length > 0) {
    return [{ path, message: issues.map(({ message }: StandardIssue) => message).join('; ') }];
  }
  if (code !== 'invalid_union' || !Array.isArray(errors)) return [issue];
  const alternatives = errors.map((found: readonly StandardIssue[]) => found.flatMap(explained));
  const meant = alternatives.filter((found) => found.length > 0 && found.every((one) => (one.path ?? []).length > 0));
  const [only] = meant;
  if (only !== undefined && meant.length === 1) {
    return only.map((one) => ({ ...one, path: [...path, ...(one.path ?? [])] }));
  }
  const messages = new Set(alternatives.flatMap((found) => found.map(({ message }) => message)));
  return [messages.size === 0 ? issue : { path, message: [...messages].join('; or: ') }];
}
