/**
 * Puts OpenTofu's official archive into ~/.kubeloom/bin, for machines without terraform. Its version and checksum are in
 * requirements.json. Exits 3 if the archive cannot be downloaded, 1 if it is not the one that was expected.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const { atLeast, tofu } = JSON.parse(readFileSync(new URL('../requirements.json', import.meta.url), 'utf8')).terraform;
const target = join(process.env.KUBELOOM_HOME ?? join(homedir(), '.kubeloom'), 'bin');
const arch = process.arch === 'x64' ? 'amd64' : process.arch;
const url = (process.env.KUBELOOM_TOFU_ARCHIVE ?? tofu.archive)
  .replaceAll('{version}', tofu.version)
  .replaceAll('{arch}', arch);
const say = (text) => console.error(`setup: ${text}`);

process.exitCode = await main();

async function main() {
  const expected = tofu.sha256[arch];
  if (!expected) return giveUp(`there is no known archive of OpenTofu for ${process.arch}`);
  say(`downloading OpenTofu ${tofu.version} from ${url}`);
  let archive;
  try {
    archive = await download();
  } catch (error) {
    return giveUp(`OpenTofu cannot be downloaded: ${error.cause?.message ?? error.message}`);
  }
  const found = createHash('sha256').update(archive).digest('hex');
  if (found !== expected) {
    say(`the archive has the SHA-256 ${found}, not ${expected}: nothing of it is used`);
    return 1;
  }
  install(archive);
  return 0;
}

async function download() {
  const answer = await fetch(url, { signal: AbortSignal.timeout(300_000) });
  if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
  return Buffer.from(await answer.arrayBuffer());
}

function install(archive) {
  mkdirSync(target, { recursive: true });
  const work = mkdtempSync(join(target, '.fetch-'));
  try {
    writeFileSync(join(work, 'tofu.zip'), archive);
    // Python is there: Ansible needs it.
    execFileSync('python3', ['-m', 'zipfile', '-e', 'tofu.zip', '.'], { cwd: work });
    chmodSync(join(work, 'tofu'), 0o755);
    renameSync(join(work, 'tofu'), join(target, 'tofu'));
  } finally {
    rmSync(work, { recursive: true });
  }
  say(`OpenTofu ${tofu.version} is in ${target}`);
}

function giveUp(reason) {
  say(reason);
  say(
    `real hosts need it: put tofu (${atLeast.tofu} or newer) or terraform (${atLeast.terraform} or newer) on the PATH`,
  );
  return 3;
}
