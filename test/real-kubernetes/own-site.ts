/**
 * What a site without the internet has for the autoscaler: its images in its own registry, the documents that name them in a git repository,
 * and an HTTPS server in front of the API. All of it belongs to one file of tests, and is gone after it.
 */
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { request } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';
import { autoscalerImage } from '#domain/autoscaler-image.ts';
import { partsDirectory } from '#local/kubernetes/available.ts';
import { makeImage } from '#local/kubernetes/build/images.ts';
import { selfSigned } from '#test/fakes/self-signed.ts';
import { allowGitServer, type GitServer, startGitServer } from '#test/templates/git-server.ts';

/** On the loopback of the control node: it leads to the API of the platform. */
export const agentPort = 17_700;
const nodeImage = 'docker.io/library/node:site';

export interface OwnSite {
  /** The repository with the documents, in `kubernetes/`. */
  readonly git: GitServer;
  /** Starts the HTTPS server in front of this API, and returns its port on 127.0.0.1. */
  serve(apiUrl: string): Promise<number>;
  close(): Promise<void>;
}

/** `flags` come after those of the autoscaler in our templates. A platform that starts after this one uses the site. */
export async function startSite(program: string, version: string, flags: readonly string[]): Promise<OwnSite> {
  const directory = mkdtempSync(join(tmpdir(), 'kubeloom-site-'));
  const cache = process.env.KUBELOOM_CACHE_DIR;
  const agentUrl = process.env.KUBELOOM_AGENT_URL;
  const agentCa = process.env.KUBELOOM_AGENT_CA;
  const { key, certificate } = selfSigned(directory, 'site');
  const git = await startGitServer();
  git.commit({ ...documents('kubeloom-agent', flags), ...documents('autoscaler', flags) });
  await makeRegistry(directory, program, version);
  const forget = allowGitServer(git);
  process.env.KUBELOOM_CACHE_DIR = join(directory, 'cache');
  process.env.KUBELOOM_AGENT_URL = `https://127.0.0.1:${agentPort}`;
  process.env.KUBELOOM_AGENT_CA = readFileSync(certificate, 'utf8');
  let front: Server | undefined;
  return {
    git,
    async serve(apiUrl) {
      const server = createServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (asked, answer) => {
        const { method, headers, url } = asked;
        const passed = request(new URL(url ?? '/', apiUrl), { method, headers }, (from) => {
          answer.writeHead(from.statusCode ?? 502, from.headers);
          from.pipe(answer);
        });
        passed.on('error', () => answer.destroy());
        asked.pipe(passed);
      });
      front = server;
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      return (server.address() as AddressInfo).port;
    },
    async close() {
      forget();
      for (const [name, value] of [
        ['KUBELOOM_CACHE_DIR', cache],
        ['KUBELOOM_AGENT_URL', agentUrl],
        ['KUBELOOM_AGENT_CA', agentCa],
      ] as const)
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      front?.closeAllConnections();
      front?.close();
      await git.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

interface Container {
  readonly name: string;
  image: string;
  readonly command: string[];
}
interface PodSpec {
  readonly containers: Container[];
}

/** Our templates, with the image of Node that the site has. */
function documents(name: string, flags: readonly string[]): Readonly<Record<string, string>> {
  const folder = fileURLToPath(new URL(`../../templates/kubernetes/${name}`, import.meta.url));
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.yaml'));
  const textOf = (file: string) => readFileSync(join(folder, file), 'utf8');
  const isRepeated = (file: string) => file.includes('/');
  const objects = files
    .filter((file) => !isRepeated(file))
    .flatMap((file) => parseAllDocuments(textOf(file)).map((document) => document.toJS()));
  for (const { kind, spec } of objects) if (kind === 'Deployment') useSite(spec.template.spec, flags);
  return {
    [`kubernetes/${name}/all.yaml`]: objects.map((object) => JSON.stringify(object)).join('\n---\n'),
    ...Object.fromEntries(files.filter(isRepeated).map((file) => [`kubernetes/${name}/${file}`, textOf(file)])),
  };
}

function useSite(pod: PodSpec, flags: readonly string[]): void {
  // The tunnel of the test ends on the loopback of the control node.
  Object.assign(pod, { hostNetwork: true, dnsPolicy: 'ClusterFirstWithHostNet' });
  for (const container of pod.containers) {
    if (container.name === 'cluster-autoscaler') container.command.push(...flags);
    else container.image = nodeImage;
  }
}

/** The parts of Kubernetes of this machine, as links, and in their registry what the autoscaler needs. */
async function makeRegistry(directory: string, program: string, version: string): Promise<void> {
  const parts = partsDirectory();
  const cache = join(directory, 'cache');
  const copy = join(cache, 'kubernetes');
  mkdirSync(copy, { recursive: true });
  for (const name of readdirSync(dirname(parts)))
    if (name !== 'kubernetes') symlinkSync(join(dirname(parts), name), join(cache, name));
  for (const name of ['apt', 'complete', 'images', 'programs'])
    execFileSync('cp', ['--archive', '--link', join(parts, name), join(copy, name)]);
  const images = join(copy, 'images');
  // Files that are written again must not be the ones of the machine.
  for (const name of ['index.json', 'oci-layout']) {
    const text = readFileSync(join(images, name));
    rmSync(join(images, name));
    writeFileSync(join(images, name), text);
  }
  const work = join(directory, 'work');
  mkdirSync(work);
  const own = (file: string, name = basename(file)): string => {
    copyFileSync(file, join(work, name));
    return join(work, name);
  };
  const [, name = ''] = /^[^/]+\/(.*)$/.exec(autoscalerImage(version)) ?? [];
  const autoscaler = own(program, 'cluster-autoscaler');
  await makeImage(images, work, {
    names: [name],
    files: { 'cluster-autoscaler': autoscaler, ...libraries(program, own) },
  });
  await makeImage(images, work, {
    names: ['library/node:site'],
    files: { 'usr/local/bin/node': own(process.execPath, 'node'), ...libraries(process.execPath, own) },
  });
}

/** What a program is linked with, by its path in an image. */
function libraries(program: string, own: (file: string) => string): Readonly<Record<string, string>> {
  const paths = execFileSync('ldd', [program])
    .toString()
    .split('\n')
    .flatMap((line) => /(\/lib\S+) \(/.exec(line)?.[1] ?? []);
  return Object.fromEntries(paths.map((path) => [path.slice(1), own(path)]));
}
