/** A plugin written for an unsupported interface version. */
export default { name: 'outdated', api: 2, summary: 'Too new.', contracts: [], register() {} };
