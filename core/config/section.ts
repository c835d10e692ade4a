/** Sections of the configuration that may be omitted. */
import { z } from 'zod';

/**
 * Returns the schema of a section that may be omitted. `make` returns the schema of its value, and is called only if
 * the section is there (or is described): schemas are a large part of the start of a command.
 */
export function optionalSection<T extends z.ZodType>(make: () => T) {
  const section = z.lazy(make);
  // An object asks each of its keys whether it may be omitted, for which zod would make the schema.
  Object.defineProperty(section._zod, 'optin', { value: undefined });
  return section.optional();
}
