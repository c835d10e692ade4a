/**
 * Runs command lines, one after another, in one process that has the build loaded (`command.ts`). Each comes as a
 * message; its output goes to stdout and stderr, each followed by the mark of the message, and its exit code comes back.
 */
import { runCli } from '../../dist/core/cli.js';

process.on('message', async ({ args, cwd, env, program, mark }) => {
  process.chdir(cwd);
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  const code = await runCli(args, program === 'beacon' ? { program, plugin: 'beacon' } : { program });
  process.stdout.write(mark);
  process.stderr.write(mark);
  process.send({ code });
});
process.on('disconnect', () => process.exit());
