/** A plugin written for an interface that does not exist. */
export default { name: 'outdated', api: 2, summary: 'Too new.', contracts: [], register() {} };
