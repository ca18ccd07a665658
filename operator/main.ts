/**
 * The operator as a process of a pod.
 *
 * KUBELOOM_API_URL and KUBELOOM_TOKEN_FILE (without it, requests to an API in AWS are signed) say where Kubeloom is;
 * KUBELOOM_NAMESPACES (with commas between; all) and KUBELOOM_SECRETS_FROM (`any` or `own` namespace) what is read;
 * KUBELOOM_INTERVAL_SECONDS (10) how often.
 * KUBERNETES_SERVER, KUBERNETES_TOKEN_FILE and KUBERNETES_CA_FILE are for one that runs outside of the cluster.
 */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { apiClient } from '#client/api-client.ts';
import { kubernetesApi } from './kubernetes-api.ts';
import { Operator } from './operator.ts';

const account = '/var/run/secrets/kubernetes.io/serviceaccount';
const {
  KUBELOOM_API_URL: apiUrl,
  KUBELOOM_TOKEN_FILE: tokenFile,
  KUBELOOM_NAMESPACES: namespaces = '',
  KUBELOOM_SECRETS_FROM: secretsFrom = 'any',
  KUBELOOM_INTERVAL_SECONDS: interval = '10',
  KUBERNETES_SERVICE_HOST: host = '',
  KUBERNETES_SERVICE_PORT: port = '443',
} = process.env;
const server = process.env.KUBERNETES_SERVER ?? `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
const kubernetesToken = process.env.KUBERNETES_TOKEN_FILE ?? `${account}/token`;
const authorityFile = process.env.KUBERNETES_CA_FILE ?? `${account}/ca.crt`;

const faults = [
  ...(apiUrl ? [] : ['KUBELOOM_API_URL must be set']),
  ...(host || process.env.KUBERNETES_SERVER ? [] : ['KUBERNETES_SERVER must be set outside of a cluster']),
  ...(Number(interval) >= 1 ? [] : ['KUBELOOM_INTERVAL_SECONDS must be a number from 1 on']),
  ...(['any', 'own'].includes(secretsFrom) ? [] : ['KUBELOOM_SECRETS_FROM must be any or own']),
];
if (!apiUrl || faults.length > 0) {
  process.stderr.write(`operator: ${faults.join('; ')}\n`);
  process.exit(2);
}

const textOf = (file: string) => async (): Promise<string> => (await readFile(file, 'utf8')).trim();
const names = namespaces.split(',').filter(Boolean);
const operator = new Operator(
  {
    kubernetes: kubernetesApi({
      server,
      token: textOf(kubernetesToken),
      authority: readFileSync(authorityFile, 'utf8'),
    }),
    // The next pass retries manifests that wait for a commit of templates.
    api: apiClient({ apiUrl, token: tokenFile ? textOf(tokenFile) : undefined, timeoutMs: 30_000 }, { limitMs: 0 }),
    now: () => new Date(),
    log: (message, fields) =>
      void process.stdout.write(`${JSON.stringify({ at: new Date().toISOString(), message, ...fields })}\n`),
  },
  {
    namespaces: names.length > 0 ? names : undefined,
    ownNamespaceOnly: secretsFrom === 'own',
    retryRefusedMs: 300_000,
  },
);
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => operator.stop());
await operator.run({ intervalMs: Number(interval) * 1000 });
process.exit(0);
