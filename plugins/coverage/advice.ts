/** Warnings about settings that are valid but probably not intended. */
import { directoryAdvice } from '../../core/files.js';
import { bucketAdvice, hostList, isS3 } from '../../core/outgoing.js';
import type { AdviceContext, Tenant } from '../../core/plugin.js';
import type { CoverageSettings } from './settings.js';

export async function adviceOn(settings: CoverageSettings, { people, tenants, s3 }: AdviceContext): Promise<string[]> {
  return [
    ...(await directoryAdvice('roots', settings.roots)),
    ...bucketAdvice('buckets', settings.buckets, s3),
    ...bucketAdvice('intervals.uploads', [settings.intervals.uploads], s3),
    ...tenants.flatMap((tenant) => reachAdvice(settings, tenant)),
    ...issuerAdvice(settings.oidc),
    ...(settings.acceptIdTokens && settings.oidc.jwksUrl === undefined
      ? ['acceptIdTokens: is on, but no token is required without oidc.jwksUrl (JWKS_URL) and oidc.audience (AUDIENCE)']
      : []),
    ...(settings.authorize !== undefined && !people && settings.oidc.jwksUrl === undefined
      ? ['authorize: nothing recognises people (auth.issuers, auth.signIn, oidc), so that it is asked about nobody']
      : []),
  ];
}

/** What of a tenant's no client can name, whatever its members may do. */
function reachAdvice({ hosts }: CoverageSettings, tenant: Tenant): string[] {
  const allowed = hostList(hosts);
  return [
    ...tenant.urls
      .filter((url) => !isS3(url) && allowed(new URL(url)) === undefined)
      .map(
        (url) =>
          `hosts: the host of ${url} of the tenant ${tenant.name} is not among them, so that no file there is reached`,
      ),
  ];
}

function issuerAdvice({ jwksUrl, issuer }: CoverageSettings['oidc']): string[] {
  if (jwksUrl !== undefined && issuer === undefined) {
    return ['oidc.issuer: is not set (ISSUER), so that tokens of every issuer with keys in the key set are accepted'];
  }
  if (jwksUrl === undefined && issuer !== undefined) {
    return [
      'oidc.issuer: is set (ISSUER), but no token is required without jwksUrl (JWKS_URL) and audience (AUDIENCE)',
    ];
  }
  return [];
}
