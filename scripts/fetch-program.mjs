/**
 * fetch-program.mjs tofu|kubectl: downloads the program into ~/.kubeloom/bin, unless this machine has it (or terraform instead of
 * tofu) in a version that is new enough. Versions and checksums are in requirements.json. Exits 3 if it cannot be downloaded, 1 if
 * the download is not the one that was expected. With --lacks it downloads nothing: it exits 0 if the machine lacks the program.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

const [program, option] = process.argv.slice(2);
const requirements = JSON.parse(readFileSync(new URL('../requirements.json', import.meta.url), 'utf8'));
const wanted = requirements.downloads[program];
const target = join(process.env.KUBELOOM_HOME ?? join(homedir(), '.kubeloom'), 'bin');
const arch = process.arch === 'x64' ? 'amd64' : process.arch;
const url = (process.env.KUBELOOM_DOWNLOAD ?? wanted.url)
  .replaceAll('{version}', wanted.version)
  .replaceAll('{arch}', arch);
const say = (text) => console.error(`setup: ${text}`);

process.exitCode = option === '--lacks' ? (isHere() ? 1 : 0) : isHere() ? 0 : await main();

function isHere() {
  const env = { ...process.env, PATH: `${target}${delimiter}${process.env.PATH}` };
  return Object.entries(wanted.anyOf).some(([name, { ask, atLeast }]) => {
    const { status, stdout } = spawnSync(name, ask, { env, encoding: 'utf8' });
    const version = /\d+\.\d+\.\d+/.exec(stdout ?? '')?.[0];
    return status === 0 && version?.localeCompare(atLeast, 'en', { numeric: true }) >= 0;
  });
}

async function main() {
  const expected = wanted.sha256[arch];
  if (!expected) return fail(`there is no known download of ${program} for ${process.arch}`);
  say(`downloading ${program} ${wanted.version} from ${url}`);
  let content;
  try {
    content = await download();
  } catch (error) {
    return fail(`${program} cannot be downloaded: ${error.cause?.message ?? error.message}`);
  }
  const found = createHash('sha256').update(content).digest('hex');
  if (found !== expected) {
    say(`the download has the SHA-256 ${found}, not ${expected}: nothing of it is used`);
    return 1;
  }
  install(content);
  return 0;
}

async function download() {
  const answer = await fetch(url, { signal: AbortSignal.timeout(300_000) });
  if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
  return Buffer.from(await answer.arrayBuffer());
}

function install(content) {
  mkdirSync(target, { recursive: true });
  const work = mkdtempSync(join(target, '.fetch-'));
  try {
    const zipped = wanted.url.endsWith('.zip');
    writeFileSync(join(work, zipped ? 'archive.zip' : program), content);
    if (zipped) execFileSync('unzip', ['-q', 'archive.zip', program], { cwd: work });
    chmodSync(join(work, program), 0o755);
    renameSync(join(work, program), join(target, program));
  } finally {
    rmSync(work, { recursive: true });
  }
  say(`${program} ${wanted.version} is in ${target}`);
}

function fail(reason) {
  const names = Object.entries(wanted.anyOf).map(([name, { atLeast }]) => `${name} (${atLeast} or newer)`);
  say(reason);
  say(`real hosts need it: put ${names.join(' or ')} on the PATH`);
  return 3;
}
