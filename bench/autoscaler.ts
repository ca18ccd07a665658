/**
 * How long from a pod that fits nowhere to the request for a machine, with the documents `autoscaler` as they are rendered (scan 10 s), a
 * real kube-apiserver, scheduler and cluster-autoscaler. There are no nodes and no images: what the pod would run are processes.
 * usage: KUBELOOM_CLUSTER_AUTOSCALER=PROGRAM node bench/autoscaler.ts [SAMPLES]   prints JSON, in seconds
 */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { aPool, pools } from '#test/agent/pools.ts';
import { applyAutoscaler, serveAgentApi, startPod } from '../test/real-kubernetes/autoscaler-in-cluster.ts';
import { BareApiServer } from '../test/real-kubernetes/bare-api-server.ts';
import { median } from './numbers.ts';

const program = process.env.KUBELOOM_CLUSTER_AUTOSCALER;
if (program === undefined) throw new Error('KUBELOOM_CLUSTER_AUTOSCALER must name the program');
const samples = Number(process.argv[2] ?? 5);
const run = promisify(execFile);
const server = await BareApiServer.start();
const cloud = pools(aPool({ min: 0, max: 100, size: 0, nodes: [] }));
const api = await serveAgentApi(cloud);
try {
  const { facts } = await applyAutoscaler(server, api.url);
  api.accept(facts.agent?.tokenHash ?? '');
  server.runNextToIt('kube-scheduler', ['--leader-elect=false', '--secure-port=0']);
  await startPod(server, program, []);
  while (cloud.looks < 2) await pause(100);
  const seconds: number[] = [];
  for (let index = 0; index < samples; index += 1) {
    // Wherever in a round of the autoscaler.
    await pause(1000 + ((index * 3700) % 10_000));
    const file = join(server.directory, 'pod.json');
    const containers = [{ name: 'a', image: 'a', resources: { requests: { cpu: '1500m' } } }];
    const metadata = { name: `pod-${index}`, namespace: 'default' };
    writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers } }));
    const asked = cloud.asked.length;
    await run(server.kubectl, [
      `--kubeconfig=${server.adminFile()}`,
      'apply',
      '--validate=false',
      `--filename=${file}`,
    ]);
    const start = performance.now();
    while (cloud.asked.length === asked) await pause(20);
    seconds.push(Math.round(performance.now() - start) / 1000);
  }
  const figures = { median: median(seconds), slowest: Math.max(...seconds), seconds };
  process.stdout.write(`${JSON.stringify({ pendingPodToRequest: figures, load: loadavg()[0] }, null, 2)}\n`);
} finally {
  api.close();
  await server.stop();
}
process.exit(0);
