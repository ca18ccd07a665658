/**
 * The agent of a workload cluster, next to the cluster-autoscaler in one pod.
 *
 * KUBELOOM_API_URL, KUBELOOM_AGENT_TOKEN_FILE (the token of the cluster), KUBELOOM_AGENT_PORT (8086).
 */
import { readFile } from 'node:fs/promises';
import { agentApi } from './agent-api.ts';
import { autoscalerAnswers, serveAutoscaler } from './autoscaler-service.ts';

/** The autoscaler waits 5 s for an answer. */
const timeoutMs = 4_000;

const { KUBELOOM_API_URL: apiUrl, KUBELOOM_AGENT_TOKEN_FILE: tokenFile } = process.env;
if (!apiUrl || !tokenFile) {
  process.stderr.write('agent: KUBELOOM_API_URL and KUBELOOM_AGENT_TOKEN_FILE must be set\n');
  process.exit(2);
}

const token = async (): Promise<string> => (await readFile(tokenFile, 'utf8')).trim();
const port = Number(process.env.KUBELOOM_AGENT_PORT ?? 8086);
const served = await serveAutoscaler(autoscalerAnswers(agentApi({ apiUrl, token, timeoutMs })), `127.0.0.1:${port}`);
process.stdout.write(`agent: answers the cluster-autoscaler on 127.0.0.1:${served.port}\n`);
process.on('SIGTERM', () => {
  served.close();
  process.exit(0);
});
