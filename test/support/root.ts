/** Loaded by mocha before every test file: what all tests share. */
process.env.TZ = 'UTC';
