/** The issuer that tests of the console sign in at refuses what real ones refuse. */
import { expect, it, onTestFinished } from 'vitest';
import { clientId, startSignInIssuer } from './browser/sign-in-issuer.ts';

it('a redirect URI that is not registered gets no answer at all', async () => {
  const issuer = await startSignInIssuer();
  onTestFinished(() => issuer.close());
  issuer.redirects.add('http://127.0.0.1:1/console/');
  const query = new URLSearchParams({
    client_id: clientId,
    redirect_uri: 'http://127.0.0.1:1/other/',
    response_type: 'code',
  });
  const answer = await fetch(`${issuer.url}/authorize?${query}`, { redirect: 'manual' });
  expect([answer.status, answer.headers.get('location')]).toEqual([400, null]);
});
