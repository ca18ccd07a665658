/**
 * The agent of a workload cluster. It has two tasks, each in a pod of its own, so that neither has the rights of the other:
 * next to the cluster-autoscaler it answers that (KUBELOOM_AGENT_PORT); apart from it, it reports nodes and approves certificates
 * (KUBELOOM_KUBERNETES_URL, KUBELOOM_KUBERNETES_TOKEN_FILE), and acts on notices of clouds where these exist (KUBELOOM_NOTICES).
 *
 * KUBELOOM_API_URL, KUBELOOM_AGENT_TOKEN_FILE: where the API of Kubeloom is, and the token of the cluster. `ca.pem` next to the program
 * has the authority of an installation whose API shows certificates of its own.
 */
import { readFile } from 'node:fs/promises';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { agentApi } from './agent-api.ts';
import { autoscalerAnswers, serveAutoscaler } from './autoscaler-service.ts';
import { clusterApi, keepLooking, Nudge, rhythm } from './node-agent.ts';
import { keepNotices } from './notices/keep-notices.ts';
import { runOnNode } from './notices/run-on-node.ts';

// On a node of a cloud, without any right: see there.
if (process.env.KUBELOOM_NOTICES_CLOUD) process.exit(await runOnNode(process.env));

/** The autoscaler waits 5 s for an answer. */
const timeoutMs = 4_000;
/** A spot machine is gone 30 s after its notice in some clouds. */
const noticesEveryMs = 1_000;

const { KUBELOOM_API_URL: apiUrl, KUBELOOM_AGENT_TOKEN_FILE: tokenFile, KUBELOOM_AGENT_PORT: port } = process.env;
const { KUBELOOM_KUBERNETES_URL: url, KUBELOOM_KUBERNETES_TOKEN_FILE: accountFile } = process.env;
if (!apiUrl || !tokenFile || (!port && !(url && accountFile))) {
  process.stderr.write(
    'agent: KUBELOOM_API_URL, KUBELOOM_AGENT_TOKEN_FILE and KUBELOOM_AGENT_PORT, or KUBELOOM_KUBERNETES_URL with KUBELOOM_KUBERNETES_TOKEN_FILE, must be set\n',
  );
  process.exit(2);
}

const own = await readFile(new URL('ca.pem', import.meta.url), 'utf8').catch(() => '');
// Both lists: NODE_EXTRA_CA_CERTS names the authority of the cluster.
if (own.trim() !== '') setDefaultCACertificates([...getCACertificates('default'), own]);

const token = async (): Promise<string> => (await readFile(tokenFile, 'utf8')).trim();
const api = agentApi({ apiUrl, token, timeoutMs });
const stop = new AbortController();
const say = (line: string): void => void process.stdout.write(`agent: ${line}\n`);
process.on('SIGTERM', () => {
  stop.abort();
  process.exit(0);
});
if (port) {
  const served = await serveAutoscaler(autoscalerAnswers(api), `127.0.0.1:${Number(port)}`);
  say(`answers the cluster-autoscaler on 127.0.0.1:${served.port}`);
}
if (url && accountFile) {
  say(`reports the nodes of the cluster when they change, and every ${rhythm.heartbeatMs / 60_000} minutes`);
  const cluster = clusterApi({ url, tokenFile: accountFile });
  const nudge = new Nudge();
  const { signal } = stop;
  if (process.env.KUBELOOM_NOTICES)
    void keepNotices(cluster, { everyMs: noticesEveryMs, signal, say, changed: () => nudge.now() });
  await keepLooking(api, cluster, { ...rhythm, signal, say, nudge });
}
