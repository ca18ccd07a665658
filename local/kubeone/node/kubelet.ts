/** The simulated kubelet: says every few seconds that its node lives, and answers on the node ports. */
import { readFileSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:https';
import type { Server } from 'node:net';
import os from 'node:os';
import { askJson } from './ask.ts';
import type { JsonObject } from './json.ts';
import type { Heartbeat, HeartbeatAnswer } from './node-lifecycle.ts';
import { listenOnNodePort } from './node-port.ts';
import type { StoreMember } from './object-store.ts';
import { files } from './paths.ts';

const intervalMs = 3000;

interface KubeletConfig {
  readonly name: string;
  readonly control: boolean;
  readonly internalAddress: string;
  readonly externalAddress: string;
  readonly kubernetesVersion: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly taints: readonly JsonObject[];
}

const config: KubeletConfig = JSON.parse(readFileSync(files.kubeletConfig, 'utf8'));
const ca = readFileSync(files.ca);
// A handshake for each heartbeat took most of the time of kubelet and server.
const agent = new Agent({ keepAlive: true });
const headers = { authorization: `Bearer ${readFileSync(files.token, 'utf8').trim()}` };
const nodePorts = new Map<number, Server>();
let registered = false;

for (;;) {
  try {
    const answer = await beat();
    registered = true;
    openNodePorts(answer.nodePorts);
    rememberControls(answer.members);
  } catch (error) {
    process.stderr.write(`no control-plane node answers: ${error instanceof Error ? error.message : error}\n`);
  }
  await new Promise((resolve) => setTimeout(resolve, registered ? intervalMs : 500));
}

/** Tries the control-plane nodes one after the other. */
async function beat(): Promise<HeartbeatAnswer> {
  const controls: readonly StoreMember[] = JSON.parse(readFileSync(files.controls, 'utf8'));
  let last: unknown = new Error('none is known');
  for (const { url } of controls) {
    try {
      return await askJson(
        `${url}/internal/heartbeat`,
        3000,
        { method: 'POST', ca, headers, agent },
        JSON.stringify(heartbeat()),
      );
    } catch (error) {
      last = error;
    }
  }
  throw last;
}

function heartbeat(): Heartbeat {
  const { kubernetesVersion, ...node } = config;
  return {
    ...node,
    register: !registered,
    nodeInfo: {
      kubeletVersion: `v${kubernetesVersion}`,
      containerRuntimeVersion: 'simulated://1',
      osImage: /^PRETTY_NAME="?(.*?)"?$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? 'Linux',
      kernelVersion: os.release(),
      architecture: os.arch() === 'x64' ? 'amd64' : os.arch(),
      operatingSystem: 'linux',
      bootID: readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(),
      machineID: readFileSync('/etc/machine-id', 'utf8').trim(),
    },
    capacity: { cpu: String(os.cpus().length), memory: `${Math.floor(os.totalmem() / 1024)}Ki`, pods: '110' },
  };
}

function openNodePorts(wanted: readonly number[]): void {
  for (const port of wanted) {
    if (!nodePorts.has(port)) nodePorts.set(port, listenOnNodePort('0.0.0.0', port, config.name));
  }
  for (const [port, server] of nodePorts) {
    if (wanted.includes(port)) continue;
    server.close();
    nodePorts.delete(port);
  }
}

function rememberControls(members: readonly StoreMember[]): void {
  const text = JSON.stringify(members);
  if (members.length > 0 && readFileSync(files.controls, 'utf8') !== text) writeFileSync(files.controls, text);
}
