/**
 * The documents `autoscaler` in a real API server, and what its pod would run, as processes next to it: there are no nodes, and the
 * images cannot be fetched here. Program, token, flags and rights are those that the API server gives back.
 */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type AgentApi, ApiRefusal } from '#agent/agent-api.ts';
import { AgentHealth } from '#contracts/agent.ts';
import { agentTokenHash } from '#contracts/agent-token.ts';
import { builtinDocument, type DocumentState } from '#domain/cluster-documents.ts';
import type { BareApiServer } from './bare-api-server.ts';
import { applyBuiltin } from './built-in-documents.ts';

const run = promisify(execFile);

/** Applies it, and the agent before it, by the code of the nodes stage. `order`: in which pools grow. */
export function applyAutoscaler(
  server: BareApiServer,
  api: string,
  order: DocumentState['values'] = {},
): ReturnType<typeof applyBuiltin> {
  const values = { api, ca: '', proxy: '', noProxy: '' };
  const autoscaler = builtinDocument('autoscaler', { ...values, image: 'an-image', ...order });
  return applyBuiltin(server, [builtinDocument('kubeloom-agent', values), autoscaler]);
}

/** The API of Kubeloom as far as the agent asks it, for one token. */
export async function serveAgentApi(
  api: AgentApi,
): Promise<{ readonly url: string; accept(tokenHash: string): void; close(): void }> {
  let accepted = '';
  const server: Server = createServer((request, response) => {
    const answer = async (): Promise<unknown> => {
      const token = request.headers.authorization?.replace(/^Bearer /, '') ?? '';
      if (agentTokenHash(token) !== accepted) throw new ApiRefusal(403, 'not the token');
      if (request.method === 'GET') return { groups: await api.groups() };
      const body = async () => JSON.parse(Buffer.concat(await Array.fromAsync(request)).toString());
      if (request.url === '/v1/agent/health') return { nodes: await api.report(AgentHealth.parse(await body())) };
      const [, pool = ''] = /^\/v1\/agent\/groups\/([^/]+)\/size$/.exec(request.url ?? '') ?? [];
      return api.resize(pool, await body());
    };
    const send = (status: number, body: unknown): void =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    answer().then(
      (body) => send(200, body),
      (error: unknown) => send(error instanceof ApiRefusal ? error.status : 500, { detail: String(error) }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address !== 'object') throw new Error('the server has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    accept: (tokenHash) => {
      accepted = tokenHash;
    },
    close: () => void server.close(),
  };
}

/** Starts what the Deployment says, with the rights of its ServiceAccount. `flags` come after its own. Returns the file of the log. */
export async function startPod(server: BareApiServer, program: string, flags: readonly string[]): Promise<string> {
  const get = async (what: string, path: string) => {
    const { stdout } = await run(
      server.kubectl,
      [
        ...[`--kubeconfig=${server.adminFile()}`, '--namespace=kube-system', 'get', ...what.split(' ')],
        `--output=jsonpath=${path}`,
      ],
      { maxBuffer: 10_000_000 },
    );
    return stdout;
  };
  const file = (name: string, text: string): string => {
    writeFileSync(join(server.directory, name), text);
    return join(server.directory, name);
  };
  const agent = file('agent.mjs', await get('configmap kubeloom-agent', '{.data.agent\\.mjs}'));
  const token = file('token', Buffer.from(await get('secret kubeloom-agent', '{.data.token}'), 'base64').toString());
  const config = file('cloud-config', await get('configmap kubeloom-autoscaler', '{.data.cloud-config}'));
  const of = (container: string, field: string) =>
    get('deployment cluster-autoscaler', `{.spec.template.spec.containers[?(@.name=="${container}")].${field}}`);
  const url = await of('agent', 'env[?(@.name=="KUBELOOM_API_URL")].value');
  const port = await of('agent', 'env[?(@.name=="KUBELOOM_AGENT_PORT")].value');
  server.runProgram(process.execPath, [agent], {
    KUBELOOM_API_URL: url,
    KUBELOOM_AGENT_TOKEN_FILE: token,
    KUBELOOM_AGENT_PORT: port,
  });
  const [, ...own]: string[] = JSON.parse(await of('cluster-autoscaler', 'command'));
  const account = await get('deployment cluster-autoscaler', '{.spec.template.spec.serviceAccountName}');
  const log = join(server.directory, 'autoscaler.log');
  const args = own.map((one) => (one.startsWith('--cloud-config=') ? `--cloud-config=${config}` : one));
  const here = ['--address=127.0.0.1:0', '--v=4', '--logtostderr=false', `--log-file=${log}`];
  server.runNextToIt(program, [...args, ...here, ...flags], `system:serviceaccount:kube-system:${account}`);
  return log;
}

/** Starts the agent that reports nodes, with a real token of its ServiceAccount. */
export async function startNodeAgent(server: BareApiServer, api: string): Promise<void> {
  const asked = ['create', 'token', 'kubeloom-agent', '--namespace=kube-system'];
  const { stdout } = await run(server.kubectl, [`--kubeconfig=${server.adminFile()}`, ...asked]);
  const account = join(server.directory, 'account-token');
  writeFileSync(account, stdout);
  server.runProgram(process.execPath, [join(server.directory, 'agent.mjs')], {
    KUBELOOM_API_URL: api,
    KUBELOOM_AGENT_TOKEN_FILE: join(server.directory, 'token'),
    KUBELOOM_KUBERNETES_URL: server.url,
    KUBELOOM_KUBERNETES_TOKEN_FILE: account,
    NODE_EXTRA_CA_CERTS: join(server.directory, 'certificates', 'apiserver.crt'),
  });
}

/** What the API server refused it, each once. */
export function refusedIn(log: string): readonly string[] {
  const lines = readFileSync(log, 'utf8').split('\n');
  return [...new Set(lines.flatMap((line) => /\S+ is forbidden: .*$/.exec(line)?.[0] ?? []))];
}
