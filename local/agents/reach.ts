/** Agents of clusters on hosts of this machine: what they need to call its API, as the environment of functions and builds has it. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { messageOf } from 'aws-on-loopback/logger.ts';
import { hostsHelper } from '../hosts-helper.ts';
import { addAgentImages, agentImage, autoscalerProgram } from '../kubernetes/agent-images.ts';
import { kubernetesKind, partsDirectory } from '../kubernetes/available.ts';
import type { Ground } from '../parts/ground.ts';
import { type AgentsDoor, doorUrl, openAgentsDoor } from './agents-door.ts';

export interface Reach {
  readonly door: AgentsDoor;
  readonly variables: Readonly<Record<string, string>>;
}

/**
 * Undefined where no agent can reach it: nothing real is created, control planes are simulated, hosts need root; or where the user says which
 * address agents have (KUBELOOM_AGENT_URL, empty: none). A machine on which it cannot be set up has clusters without agents, and the log says why.
 */
export async function reachForAgents(
  { product, inMemory, runner, directory, logger, onStop }: Ground,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<Reach | undefined> {
  const isReal = product.agents === true && !inMemory && runner === 'real';
  if (!isReal || kubernetesKind(env.KUBELOOM_KUBERNETES) !== 'real' || process.getuid?.() !== 0) return undefined;
  if (env.KUBELOOM_AGENT_URL !== undefined) return undefined;
  try {
    await addAgentImages(join(partsDirectory(), 'images'), autoscalerProgram(env));
    const { agents: before } = directory.ports;
    const door = await openAgentsDoor(join(directory.path, 'agents'), { port: before, logger });
    onStop(() => door.close());
    const variables = {
      KUBELOOM_AGENT_URL: doorUrl,
      KUBELOOM_AGENT_CA: door.authority,
      // Other machines do not reach it.
      KUBELOOM_AGENT_PROVIDERS: 'local',
      KUBELOOM_AGENT_IMAGE: agentImage,
      KUBELOOM_HOST_AGENTS_PORT: String(door.port),
    };
    if (before !== undefined && before !== door.port) {
      const hosts = env.KUBELOOM_HOSTS_DIR ?? join(directory.path, 'hosts');
      await promisify(execFile)(hostsHelper, ['doors'], { env: { ...env, ...variables, KUBELOOM_HOSTS_DIR: hosts } });
    }
    return { door, variables };
  } catch (error) {
    logger.error('clusters of this machine have no agents', { cause: messageOf(error) });
    return undefined;
  }
}
