/** A question to the API server of a cluster, on a connection of its own. */
import { readFile } from 'node:fs/promises';
import { request } from 'node:https';
import { parse } from 'yaml';

/** `kubectl get nodes`, without the time that a process takes to start. */
export async function nodesRequest(kubeconfigFile: string): Promise<() => Promise<void>> {
  const { clusters, users } = parse(await readFile(kubeconfigFile, 'utf8')) as {
    clusters: readonly [{ cluster: { server: string; 'certificate-authority-data': string } }];
    users: readonly [{ user: { 'client-certificate-data': string; 'client-key-data': string } }];
  };
  const { cluster } = clusters[0];
  const { user } = users[0];
  const decoded = (text: string) => Buffer.from(text, 'base64');
  const options = {
    ca: decoded(cluster['certificate-authority-data']),
    cert: decoded(user['client-certificate-data']),
    key: decoded(user['client-key-data']),
    agent: false,
    timeout: 10_000,
  } as const;
  return () =>
    new Promise((resolve, reject) => {
      const call = request(`${cluster.server}/api/v1/nodes`, options, (response) => {
        response.resume().on('error', reject);
        response.on('end', () =>
          response.statusCode === 200 ? resolve() : reject(new Error(`${response.statusCode}`)),
        );
      });
      call
        .on('timeout', () => call.destroy(new Error('no answer in 10 s')))
        .on('error', reject)
        .end();
    });
}
