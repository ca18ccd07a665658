/**
 * unpack-plugins.mjs SUMS DIRECTORY: unpacks what `terraform providers mirror` left in the directory. An archive must have the sum that SUMS (plugin-sums.json)
 * names for its plugin and processor; for a plugin that is not in it, the sum is printed, to be compared and committed. Writes `hashes.json`: what Terraform
 * computes of each unpacked plugin (`h1:`), so that the runner can hold `terraform init` to it.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const [sumsFile, out] = process.argv.slice(2);
if (out === undefined) throw new Error('usage: unpack-plugins.mjs SUMS DIRECTORY');
const sums = JSON.parse(readFileSync(sumsFile, 'utf8'));
const sha256 = (content) => createHash('sha256').update(content);
const hashes = {};

for (const archive of globSync('**/terraform-provider-*.zip', { cwd: out }).sort()) {
  // HOST/NAMESPACE/NAME/terraform-provider-NAME_VERSION_OS_ARCH.zip
  const address = dirname(archive);
  const [, version, platform] = /_([^_]+)_([a-z]+_[a-z0-9]+)\.zip$/.exec(basename(archive));
  const source = address.split('/').slice(-2).join('/');
  const file = join(out, archive);
  check(`${source} ${version} ${platform}`, sums[source], {
    version,
    platform,
    sum: sha256(readFileSync(file)).digest('hex'),
  });
  const target = join(out, address, version, platform);
  mkdirSync(target, { recursive: true });
  execFileSync('unzip', ['-q', file, '-d', target]);
  rmSync(file);
  hashes[address] = { version, hashes: [hashOfDirectory(target)] };
}
writeFileSync(join(out, 'hashes.json'), `${JSON.stringify(hashes, null, 2)}\n`);

function check(plugin, known, { version, platform, sum }) {
  if (known === undefined)
    return void process.stdout.write(`${plugin}: not in plugin-sums.json; its archive has the SHA-256 ${sum}\n`);
  const wanted = known.version === version ? known.sha256[platform] : undefined;
  if (wanted === undefined)
    throw new Error(`${plugin}: plugin-sums.json has no sum of it: renew it with scripts/pin-images.sh`);
  if (wanted !== sum)
    throw new Error(`${plugin}: its archive has the SHA-256 ${sum}, not ${wanted}: nothing of it is used`);
}

/** `h1:` of golang.org/x/mod/sumdb/dirhash: over the sums and names of all files, in order of their names. */
function hashOfDirectory(directory) {
  const files = readdirSync(directory, { recursive: true }).filter((name) => statSync(join(directory, name)).isFile());
  const lines = files.sort().map((name) => `${sha256(readFileSync(join(directory, name))).digest('hex')}  ${name}\n`);
  return `h1:${sha256(lines.join('')).digest('base64')}`;
}
