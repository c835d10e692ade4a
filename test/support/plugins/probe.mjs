/**
 * A plugin by path, as an outsider would write it: no TypeScript, no zod. It returns its settings at /probe, and runs
 * jobs whose outcome the caller chooses.
 */
const text = (key, fallback) => ({ key, fallback, holds: (value) => typeof value === 'string' });
const number = (key, fallback) => ({ key, fallback, holds: (value) => typeof value === 'number' });

function settings(fields) {
  return {
    '~standard': {
      version: 1,
      vendor: 'probe',
      validate(given) {
        const issues = [];
        const value = {};
        for (const key of Object.keys(given)) {
          if (!fields.some((field) => field.key === key)) issues.push({ message: 'Unknown key', path: [key] });
        }
        for (const { key, fallback, holds } of fields) {
          const set = given[key] ?? fallback;
          if (holds(set)) value[key] = set;
          else issues.push({ message: 'Expected another type', path: [key] });
        }
        return issues.length > 0 ? { issues } : { value };
      },
    },
  };
}

export default {
  name: 'probe',
  api: 1,
  summary: 'Shows what the core hands to a plugin.',
  settings: settings([text('greeting', 'hello'), number('limit', 3)]),
  environment: { PROBE_LIMIT: 'limit', PROBE_GREETING: 'greeting' },
  contracts: [],
  commands: [
    {
      name: 'say hello',
      summary: 'say hello',
      options: [
        { flags: '--to <name>', description: 'whom', required: true },
        { flags: '--from <name>', description: 'who', required: true },
        { flags: '--tone <tone>', description: 'how', choices: ['Warm', 'Cold'], ignoreCase: true, default: 'Warm' },
        { flags: '--also <name>', description: 'others', repeatable: true },
      ],
      examples: ['say hello --to world --from probe'],
      async run({ settings: { greeting, limit }, terminal }, { options }) {
        terminal.print(`${greeting} ${options.to} from ${options.from}`);
        terminal.data({ greeting, limit, ...options });
      },
    },
    { name: 'fail', summary: 'fail', run: async () => Promise.reject(new Error('a surprise')) },
    {
      name: 'wait',
      summary: 'wait for a signal',
      run: ({ signal, terminal }) =>
        new Promise((_, reject) => {
          const alive = setInterval(() => {}, 1000);
          signal.addEventListener('abort', () => {
            clearInterval(alive);
            reject(signal.reason);
          });
          terminal.print('waiting');
        }),
    },
    { name: 'run', summary: 'serve this plugin alone', run: ({ serve }) => serve({ port: 0 }) },
  ],
  register(context) {
    context.route({
      method: 'GET',
      path: '/probe',
      operation: 'probe',
      summary: 'What the plugin was given',
      answers: { 200: { description: 'Its settings' } },
      handle: () => ({ body: { ...context.settings, demo: context.demo, version: context.version } }),
    });
    context.onReady(async () => context.log.info({}, 'probe ready'));
    context.onClose(async () => context.log.info({}, 'probe closed'));
  },
};
