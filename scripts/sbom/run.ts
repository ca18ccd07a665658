/**
 * `npm run sbom [DIRECTORY]`: writes what Kubeloom is made of as CycloneDX 1.6, into dist/sbom: `source.cdx.json` is all that a clone fetches to work, test and
 * build, `image-<target>.cdx.json` what an image contains. The npm packages have their own inside. Prints each file with its number of components.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { sourceDate } from './bom.ts';
import { everyBom } from './every-bom.ts';

const directory = resolve(process.argv[2] ?? join(import.meta.dirname, '../../dist/sbom'));
mkdirSync(directory, { recursive: true });
for (const [name, bom] of Object.entries(await everyBom(sourceDate(process.env.SOURCE_DATE_EPOCH)))) {
  const file = join(directory, `${name}.cdx.json`);
  writeFileSync(file, `${JSON.stringify(bom, null, 2)}\n`);
  console.log(`${file}: ${bom.components.length} components`);
}
