/** The tables of instance types that the cluster autoscaler has for AWS and Azure: one form, in Go. */
import type { TypeRow } from '#domain/catalogue/catalogue-rows.ts';

export function goTypes(table: string): TypeRow[] {
  return table
    .split('InstanceType:')
    .slice(1)
    .map((part) => {
      const number = (field: string) => Number(new RegExp(String.raw`${field}: +(\d+)`).exec(part)?.[1]);
      return {
        name: /"([^"]+)"/.exec(part)?.[1] ?? '',
        cpus: number('VCPU'),
        // The table has 0 for what is less than one GB.
        memory: number('MemoryMb') / 1024 || undefined,
        arm: /Architecture: +"arm64"/.test(part),
        gpus: number('GPU'),
      };
    });
}
