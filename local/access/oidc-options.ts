/** The issuer whose tokens a platform accepts, as `kubeloom local up` is given it. */
import { isTrustworthy, type OidcOptions } from 'aws-on-loopback/api-gateway/oidc-issuer.ts';

/** Issuer and audiences as given on the command line. Throws a sentence. */
export function parseOidcOptions(
  issuer: string | undefined,
  audience: string | undefined,
): { readonly oidc?: OidcOptions } {
  const audiences = (audience ?? '')
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean);
  if (issuer === undefined && audiences.length === 0) return {};
  if (issuer === undefined) throw new Error('--oidc-audience needs --oidc-issuer, the URL of the issuer of the tokens');
  if (audiences.length === 0)
    throw new Error('--oidc-issuer needs --oidc-audience: tokens for other audiences must not be accepted by this API');
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined;
  if (!url || !isTrustworthy(url) || url.search || url.hash || url.username)
    throw new Error(`--oidc-issuer ${issuer}: write an https URL without query; http is for 127.0.0.1 only`);
  return { oidc: { issuer, audiences } };
}
