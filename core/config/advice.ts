/** Warnings about settings that are valid but probably not intended: `trefoil check` prints them, a start logs them. */
import type { Configuration } from '../config.js';
import { listAdvice } from '../erasures/configured.js';
import { isSameOrWithin, isWithin } from '../files/open.js';
import { isS3, prefixesMeet } from '../outgoing/s3/settings.js';
import { s3Of } from '../start/storage.js';
import type { CoreSettings } from './settings.js';

export async function adviceOn(configuration: Configuration): Promise<string[]> {
  const { core, storage, plugins } = configuration;
  const tenants = core.auth?.tenants && (await import('../auth/claims.js')).tenantsIn(core.auth);
  const recognises = core.auth !== undefined && (core.auth.issuers.length > 0 || core.auth.signIn !== undefined);
  const s3 = await s3Of(core.s3);
  const about = { demo: core.demo, people: recognises, tenants: tenants ?? [], s3 };
  const own =
    plugins.length === 0
      ? ['plugins: none is enabled, so nothing is served; list at least one, such as `beacon: {}`']
      : [];
  const people = [...issuerAdvice(core.auth, plugins), ...tenantAdvice(core.auth), ...placeAdvice(core.auth, plugins)];
  const list = listAdvice(configuration);
  const stored = (await storage.adapter.advice?.(storage.settings)) ?? [];
  const others = await Promise.all(
    plugins.map(async ({ key, plugin, settings }) =>
      ((await plugin.advice?.(settings, about)) ?? []).map((sentence) => `plugins.${key}.${sentence}`),
    ),
  );
  return [
    ...own,
    ...people,
    ...(list === undefined ? [] : [list]),
    ...stored.map((sentence) => `storage.${sentence}`),
    ...others.flat(),
  ];
}

/** Groups are names of one provider: another could put people into them. What no accepted provider says grants nothing. */
function issuerAdvice(auth: CoreSettings['auth'], plugins: Configuration['plugins']): string[] {
  if (auth === undefined) return [];
  const { issuers, signIn, roles, tenants = {} } = auth;
  const ofPlugins = plugins.map(({ plugin, settings }) => plugin.acceptedIssuers?.(settings) ?? []);
  const accepted = new Set([
    ...issuers.map(({ issuer }) => issuer),
    ...(signIn === undefined ? [] : [signIn.issuer]),
    ...ofPlugins.flatMap((own) => (own === 'any' ? [] : own)),
  ]);
  const rules = [
    ...roles.map((rule, i) => ({ ...rule, at: `auth.roles.${i}` })),
    ...Object.entries(tenants).flatMap(([name, { members }]) =>
      members.map((rule, i) => ({ ...rule, at: `auth.tenants.${name}.members.${i}` })),
    ),
  ];
  const open = rules.filter(({ issuer }) => issuer === undefined).length;
  const deaf = ofPlugins.includes('any')
    ? []
    : rules.filter(({ issuer }) => issuer !== undefined && !accepted.has(issuer));
  return [
    ...(accepted.size < 2 || open === 0
      ? []
      : [
          `auth: ${open} of the rules in roles and tenants name no issuer, so that each of the ${accepted.size} accepted issuers can put people into their groups`,
        ]),
    ...deaf.map(
      ({ at, issuer }) => `${at}.issuer: no tokens of ${issuer} are accepted, so that this rule matches nobody`,
    ),
  ];
}

/** What of a tenant's no caller can name, whatever its members may do. */
function placeAdvice(auth: CoreSettings['auth'], plugins: Configuration['plugins']): string[] {
  const named = plugins.flatMap(({ key, plugin, settings }) => {
    const places = plugin.named?.(settings);
    return places === undefined ? [] : [{ at: `plugins.${key}`, ...places }];
  });
  if (named.length === 0) return [];
  const list = (setting: 'roots' | 'buckets') => named.map(({ at }) => `${at}.${setting}`).join(' and ');
  const meet = (one: string, other: string) => isSameOrWithin(one, other) || isWithin(other, one);
  return Object.entries(auth?.tenants ?? {}).flatMap(([name, { roots, urls }]) => [
    ...roots
      .filter((own) => !named.some((places) => places.roots.some((root) => meet(root, own))))
      .map(
        (own) => `auth.tenants.${name}.roots: ${own} is below nothing of ${list('roots')}: no file in it is reached`,
      ),
    ...urls
      .filter((url) => isS3(url) && !named.some(({ buckets }) => buckets.some((one) => prefixesMeet(one, url))))
      .map(
        (url) => `auth.tenants.${name}.urls: ${url} is below nothing of ${list('buckets')}: no file there is reached`,
      ),
  ]);
}

/** What belongs to two tenants is reached by the members of both. */
function tenantAdvice(auth: CoreSettings['auth']): string[] {
  const tenants = Object.entries(auth?.tenants ?? {});
  const pairs = tenants.flatMap(([name, one]) =>
    tenants.filter(([other]) => other !== name).map(([other, another]) => ({ name, one, other, another })),
  );
  const directories = pairs.flatMap(({ name, one, other, another }) =>
    one.roots.flatMap((outer) =>
      another.roots
        .filter((inner) => isWithin(outer, inner) || (inner === outer && name < other))
        .map((inner) => `${inner} of ${other} is in ${outer} of ${name}`),
    ),
  );
  const shared = (kind: 'datasets' | 'clients') =>
    pairs.flatMap(({ name, one, other, another }) =>
      one[kind]
        .filter((id) => name < other && another[kind].includes(id))
        .map((id) => `${id} belongs to ${name} and to ${other}`),
    );
  const ids = pairs.flatMap(({ name, one, other, another }) =>
    one.sampleIds !== undefined && another.sampleIds?.startsWith(one.sampleIds) === true
      ? [`"${another.sampleIds}" of ${other} begins with "${one.sampleIds}" of ${name}`]
      : [],
  );
  return [
    ...ids.map((fact) => `auth.tenants: sampleIds ${fact}, so that each can learn which ids the other uses`),
    ...directories.map((fact) => `auth.tenants: the directory ${fact}, so that its members reach these files too`),
    ...shared('datasets').map((fact) => `auth.tenants: the dataset ${fact}, so that the members of both query it`),
    ...shared('clients').map(
      (fact) => `auth.tenants: the client ${fact}, so that the members of both see its patients`,
    ),
  ];
}
