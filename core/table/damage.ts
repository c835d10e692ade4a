/** Damaged rows in the log. */
interface Log {
  error(details: object, message: string): void;
}

const mostLogged = 1000;

/**
 * For adapters: logs that a row of a table is left out because it cannot be read. `row` identifies it without its contents. Each is
 * logged once, up to a thousand.
 */
export function damageLog(log: Log): (table: string, row: object | string) => void {
  const known = new Set<string>();
  return (table, row) => {
    const name = JSON.stringify([table, row]);
    if (known.has(name) || known.size >= mostLogged) return;
    known.add(name);
    log.error({ table, ...(typeof row === 'object' && row) }, 'a row of the storage is damaged and set aside');
  };
}
