/** Statements that bypass every adapter, as damage by a disk or by hand does. */
import pg from 'pg';

export async function runSql(section: Record<string, unknown>, statements: readonly string[]): Promise<void> {
  if (typeof section.url === 'string') {
    const client = new pg.Client({ connectionString: section.url });
    await client.connect();
    try {
      for (const statement of statements) await client.query(statement);
    } finally {
      await client.end();
    }
    return;
  }
  const { default: sqlite } = await import('sqlite3');
  const database = new sqlite.Database(String(section.file));
  try {
    for (const statement of statements) {
      await new Promise<void>((resolve, reject) => {
        database.exec(statement, (error) => (error ? reject(error) : resolve()));
      });
    }
  } finally {
    await new Promise((resolve) => database.close(resolve));
  }
}

/** The rows that a statement selects. */
export async function selectRows<Row = Record<string, unknown>>(
  section: Record<string, unknown>,
  statement: string,
): Promise<Row[]> {
  if (typeof section.url === 'string') {
    const client = new pg.Client({ connectionString: section.url });
    await client.connect();
    try {
      return (await client.query(statement)).rows as Row[];
    } finally {
      await client.end();
    }
  }
  const { default: sqlite } = await import('sqlite3');
  const database = new sqlite.Database(String(section.file));
  try {
    return await new Promise((resolve, reject) => {
      database.all<Row>(statement, (error, rows) => (error ? reject(error) : resolve(rows)));
    });
  } finally {
    await new Promise((resolve) => database.close(resolve));
  }
}

/** The single number that a statement selects. */
export async function selectNumber(section: Record<string, unknown>, statement: string): Promise<number> {
  const [row] = await selectRows<{ number: number | string }>(section, statement);
  return Number(row?.number);
}
