/**
 * `npm run kubernetes:build`: the parts of real Kubernetes for local hosts, from Go modules and Debian packages, and programs of official
 * releases where the internet answers. Existing parts are kept, so an interrupted build continues where it stopped.
 */
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { builtKubeones, partsDirectory, partsKey } from '../available.ts';
import { criApiVersion, type GoPart, goParts, kubeoneVersions, kubernetesVersions } from '../parts.ts';
import { makeAptRepository } from './debian-packages.ts';
import { buildGoPart, download } from './go-module.ts';
import { makeImages } from './images.ts';
import { type Available, availableReleases, fetchRelease, officialReleases } from './official-programs.ts';

const run = promisify(execFile);
const say = (text: string): void => void process.stdout.write(`${text}\n`);
/** Packages of the programs that kube-proxy, flannel and test applications call. */
const imagePackages = 'iptables,nftables,conntrack,iproute2,curl,bind9-host';
const needed = { go: 'golang (1.25 or newer)', gcc: 'gcc', 'dpkg-deb': 'dpkg', mmdebstrap: 'mmdebstrap', tar: 'tar' };

const directory = partsDirectory();
const programs = join(directory, 'programs');
const work = join(directory, 'work');
/** Exists when all is there; its text names what was refused. */
const complete = join(directory, 'complete', partsKey());

if (existsSync(complete)) {
  say(`Kubernetes ${versions()} and ${kubeones()} are already built: ${directory}`);
  say(readFileSync(complete, 'utf8'));
} else {
  lookForTools();
  await build().catch((cause: unknown) => {
    say(
      `\nNot built: ${cause instanceof Error ? cause.message : cause}\nWhat was built stays; run it again to continue.`,
    );
    process.exitCode = 1;
  });
}

async function build(): Promise<void> {
  const official = await availableReleases(officialReleases(), programs);
  const provided = new Set(
    official.flatMap(({ parts }) =>
      Object.entries(parts).flatMap(([part, names]) => names.map((name) => join(part, name))),
    ),
  );
  const seconds =
    missingParts((part, program) => provided.has(join(part, program))).reduce((sum, part) => sum + part.seconds, 0) +
    90;
  const minutes = Math.ceil(seconds / availableParallelism() / 60);
  say(`Builds Kubernetes ${versions()} and KubeOne ${kubeoneVersions.join(', ')} for local hosts`);
  say('from Go modules and Debian packages, once.');
  if (official.length > 0)
    say(`Programs of ${official.length} official releases are downloaded instead, ${megabytes(official)} MB.`);
  say(`About ${minutes} minutes when this machine is idle; 5 GB in ${directory}, and up to 10 GB in Go's own caches.`);
  say('Interrupt it when you like: a second call continues.\n');
  await mkdir(work, { recursive: true });
  for (const [index, release] of official.entries()) {
    say(`[${index + 1}/${official.length}] ${release.url} (${megabytes([release])} MB)`);
    await fetchRelease(release, programs, join(work, 'official')).catch((cause: Error) =>
      say(`        not used, its programs are built: ${cause.message}`),
    );
  }
  const missing = missingParts();
  const refused: string[] = [];
  for (const [index, part] of missing.entries()) {
    say(`[${index + 1}/${missing.length}] ${part.module} ${part.version}`);
    let since = Date.now();
    await buildGoPart(part, {
      work: join(work, part.name),
      out: join(programs, part.name),
      built(program) {
        say(`        ${program} (${Math.round((Date.now() - since) / 1000)} s)`);
        since = Date.now();
      },
    }).catch((cause: Error) => {
      if (!part.optional) throw cause;
      refused.push(`Without ${part.name}, which this machine's Kubernetes does not need: ${cause.message}`);
      say(`        not built: ${cause.message}`);
    });
  }
  await buildCrictl();
  await buildPause();
  say('images and packages');
  const debian = join(work, 'debian.tar');
  if (!existsSync(debian)) {
    await run('mmdebstrap', [
      '--quiet',
      '--variant=essential',
      `--include=${imagePackages}`,
      ...dpkgOptions(),
      'bookworm',
      `${debian}.new.tar`,
    ]);
    await rename(`${debian}.new.tar`, debian);
  }
  await makeAptRepository(programs, join(directory, 'apt'), join(work, 'packages'));
  const names = await makeImages(programs, debian, join(directory, 'images'), join(work, 'images'));
  await rm(dirname(complete), { recursive: true, force: true });
  await mkdir(dirname(complete));
  await writeFile(complete, refused.join('\n'));
  say(`\nDone: Kubernetes ${versions()} and ${kubeones()}, ${names.length} images.`);
  for (const words of refused) say(words);
  say('Real clusters: npm run demo, or kubeloom local up.');
}

/** Parts with their missing programs; `known` programs count as present. */
function missingParts(known: (part: string, program: string) => boolean = () => false): readonly GoPart[] {
  return goParts.flatMap((part) => {
    const lacking = Object.entries(part.programs).filter(
      ([, program]) =>
        !existsSync(join(programs, part.name, program)) && !known(part.name, program) && isUsed(part.name, program),
    );
    // `seconds` is for the whole part.
    const share = lacking.length / Object.keys(part.programs).length;
    return lacking.length === 0
      ? []
      : [{ ...part, programs: Object.fromEntries(lacking), seconds: part.seconds * share }];
  });
}

/** The test image has the program of the newest version only. */
function isUsed(part: string, program: string): boolean {
  return program !== 'agnhost' || part === `kubernetes-${kubernetesVersions.at(-1)?.version}`;
}

function megabytes(archives: readonly Available[]): number {
  return Math.round(archives.reduce((sum, { bytes }) => sum + bytes, 0) / 1e6);
}

function versions(): string {
  return kubernetesVersions.map(({ version }) => version).join(', ');
}

function kubeones(): string {
  return `KubeOne ${builtKubeones().join(', ')}`;
}

/** Exits with a list of all missing tools. */
function lookForTools(): void {
  const lacking = Object.entries(needed).filter(([program]) => {
    try {
      execFileSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' });
      return false;
    } catch {
      return true;
    }
  });
  if (lacking.length === 0) return;
  say(
    `Not built: this machine lacks ${lacking.map(([program, from]) => `${program} (Debian package ${from})`).join(', ')}.`,
  );
  process.exit(1);
}

function dpkgOptions(): readonly string[] {
  return ['doc', 'man', 'locale', 'info'].map((name) => `--dpkgopt=path-exclude=/usr/share/${name}/*`);
}

/** crictl is our own source, so its module is created here. */
async function buildCrictl(): Promise<void> {
  const target = join(programs, 'crictl', 'crictl');
  if (existsSync(target)) return;
  const module = join(work, 'crictl');
  await mkdir(module, { recursive: true });
  await mkdir(join(programs, 'crictl'), { recursive: true });
  await copyFile(join(import.meta.dirname, 'crictl', 'main.go'), join(module, 'main.go'));
  const { GoMod } = await download('k8s.io/cri-api', `v${criApiVersion}`);
  const goVersion = execFileSync('sed', ['-n', 's/^go //p', GoMod], { encoding: 'utf8' }).trim();
  await writeFile(
    join(module, 'go.mod'),
    `module kubeloom.local/crictl\ngo ${goVersion}\nrequire k8s.io/cri-api v${criApiVersion}\n`,
  );
  const options = { cwd: module, env: { ...process.env, CGO_ENABLED: '0' } };
  await run('go', ['mod', 'tidy'], options);
  await run('go', ['build', '-trimpath', '-buildvcs=false', '-ldflags', '-s -w', '-o', target, '.'], options);
}

/** The source of the original is part of the Kubernetes module. */
async function buildPause(): Promise<void> {
  const target = join(programs, 'pause', 'pause');
  const newest = kubernetesVersions.at(-1);
  if (existsSync(target) || newest === undefined) return;
  await mkdir(join(programs, 'pause'), { recursive: true });
  const { Dir } = await download('k8s.io/kubernetes', `v${newest.version}`);
  const flags = ['-Os', '-static', `-DVERSION=v${newest.pause}`];
  await run('gcc', [...flags, '-o', target, join(Dir, 'build', 'pause', 'linux', 'pause.c')]);
}
