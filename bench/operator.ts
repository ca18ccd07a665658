/**
 * The operator with many objects that do not change: what it asks of Kubernetes, what it writes, what it needs. JSON; with a real
 * kube-apiserver (`npm run kubernetes:build`) and a simulated API of Kubeloom. `node bench/operator.ts [OBJECTS]`, 500 without.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { BareApiServer } from '#test/real-kubernetes/bare-api-server.ts';
import { kubectlOf, repository, simManifest } from '#test/real-kubernetes/operator-world.ts';
import { buildOperator } from '../runner-images/bundle-runner.ts';
import { memoryVariables, nodeOptions } from '../scripts/operator-objects.ts';
import { cpuSeconds } from './platform-process.ts';
import { simulatedKubeloom } from './simulated-kubeloom.ts';

const objects = Number(process.argv[2] ?? 500);
const steadyMs = 60_000;
const folder = mkdtempSync(join(tmpdir(), 'kubeloom-bench-operator-'));
const kubernetes = await BareApiServer.start();
try {
  const kubeloom = await simulatedKubeloom();
  const measured = async () => {
    const kubectl = (args: readonly string[], input?: string) => kubectlOf(kubernetes, args, input);
    await kubectl(['create', 'namespace', 'kubeloom']);
    await kubectl([
      'apply',
      '-f',
      join(repository, 'operator/chart/crds'),
      '-f',
      join(repository, 'operator/manifests'),
    ]);
    await kubectl(['wait', '--for=condition=Established', 'crd', '--all']);
    const token = await kubectl(['create', 'token', 'kubeloom-operator', '--namespace=kubeloom', '--duration=4h']);
    const { server, authority } = kubernetes.address();
    const files = { token, authority, kubeloom: 'made-up' };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const names = Array.from({ length: objects }, (_, index) => `bench-${index}`);
    await kubectl(['create', '-f', '-'], names.map((name) => JSON.stringify(simManifest(name))).join('\n---\n'));

    const program = join(folder, 'operator.mjs');
    await buildOperator(program);
    const operator = spawn(process.execPath, [...nodeOptions.split(' '), program], {
      stdio: ['ignore', 'inherit', 'inherit'],
      env: {
        PATH: process.env.PATH,
        KUBELOOM_API_URL: kubeloom.apiUrl,
        KUBELOOM_TOKEN_FILE: join(folder, 'kubeloom'),
        KUBERNETES_SERVER: server,
        KUBERNETES_TOKEN_FILE: join(folder, 'token'),
        KUBERNETES_CA_FILE: join(folder, 'authority'),
        ...memoryVariables,
      },
    });
    try {
      const started = performance.now();
      const isReady = async (): Promise<boolean> => {
        const state = 'jsonpath={range .items[*]}{.status.state}{"\\n"}{end}';
        const states = (await kubectl(['get', 'inputmanifests.kubeloom.dev', '-o', state])).trim().split('\n');
        return states.length === objects && states.every((one) => one === 'WATCHING_FOR_CHANGES');
      };
      while (!(await isReady())) await pause(2_000);
      const readyMs = performance.now() - started;
      const pid = operator.pid ?? 0;
      const ready = memoryOf(pid);
      await pause(30_000);
      const [before, cpu] = [await requestsOf(), await cpuSeconds(pid)];
      kubeloom.requests.clear();
      await pause(steadyMs);
      const after = await requestsOf();
      const perMinute = [...after].map(([verb, count]) => [verb, count - (before.get(verb) ?? 0)] as const);
      return {
        objects,
        intervalSeconds: 10,
        readySeconds: Math.round(readyMs / 1000),
        steadyRequestsPerMinute: Object.fromEntries(perMinute.filter(([, count]) => count > 0)),
        steadyKubeloomRequestsPerMinute: Object.fromEntries(kubeloom.requests),
        memoryMiB: { whenAllWereReady: ready, steady: memoryOf(pid) },
        steadyCpuSecondsPerMinute: Math.round(((await cpuSeconds(pid)) - cpu) * 100) / 100,
      };
    } finally {
      operator.kill();
    }
  };
  process.stdout.write(`${JSON.stringify(await measured().finally(kubeloom.close), null, 2)}\n`);
} finally {
  await kubernetes.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** What is resident, and how much of it is not the file of Node, which all processes of a machine share. */
function memoryOf(pid: number): { readonly resident: number; readonly own: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const of = (name: string): number =>
    Math.round(Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]) / 1024);
  return { resident: of('VmRSS'), own: of('RssAnon') };
}

/** Requests for what an operator uses, by verb, as the API server counts them; its own and those of no one else. */
async function requestsOf(): Promise<ReadonlyMap<string, number>> {
  const text = await kubectlOf(kubernetes, ['get', '--raw', '/metrics']);
  const counts = new Map<string, number>();
  for (const [, labels = '', value] of text.matchAll(/^apiserver_request_total\{([^}]*)\} (\S+)$/gm)) {
    const [, resource = ''] = /resource="(\w*)"/.exec(labels) ?? [];
    const [, verb = ''] = /verb="(\w+)"/.exec(labels) ?? [];
    if (/^(inputmanifests|templategitreferences|secrets|events)$/.test(resource))
      counts.set(`${verb} ${resource}`, (counts.get(`${verb} ${resource}`) ?? 0) + Number(value));
  }
  return counts;
}
