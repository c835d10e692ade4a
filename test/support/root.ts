/** Loaded by mocha before every test file: what all tests share. */
process.env.TZ = 'UTC';

export const mochaHooks = {
  async afterAll(): Promise<void> {
    const { stopPostgres } = await import('./postgres.js');
    await stopPostgres();
  },
};
