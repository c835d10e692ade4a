/** The names of all tables in an SQLite file. */
export async function tables(file: string): Promise<string[]> {
  const { default: sqlite } = await import('sqlite3');
  const database = await new Promise<InstanceType<typeof sqlite.Database>>((resolve, reject) => {
    const opened = new sqlite.Database(file, sqlite.OPEN_READONLY, (error) =>
      error ? reject(error) : resolve(opened),
    );
  });
  try {
    return await new Promise((resolve, reject) => {
      database.all<{ name: string }>(
        "select name from sqlite_master where type = 'table' and name not like 'sqlite%'",
        (error, rows) => {
          if (error) reject(error);
          else resolve(rows.map((row) => row.name));
        },
      );
    });
  } finally {
    await new Promise((resolve) => database.close(resolve));
  }
}
