/** `BuildGrants` on DynamoDB: one small item for each build. */
import type { BuildGrants } from '../build-ports.ts';
import { TableStore } from './dynamo-table.ts';
import { buildGrantItem } from './table-keys.ts';

/** Longer than a build can run. */
const keepSeconds = 86_400;

export class DynamoBuildGrants extends TableStore implements BuildGrants {
  async take({ build, digest, at }: Parameters<BuildGrants['take']>[0]): Promise<boolean> {
    const expireAt = Math.floor(Date.parse(at) / 1000) + keepSeconds;
    return this.table.put(
      { ...buildGrantItem(build), digest, expireAt },
      { expression: 'attribute_not_exists(#pk) OR #digest = :digest', values: { ':digest': digest } },
    );
  }
}
