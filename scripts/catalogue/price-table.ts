/** The form of the price tables of European clouds: their server types with sizes. */
import { z } from 'zod';
import type { TypeRow } from '#domain/catalogue/catalogue-rows.ts';
import type { PublicFile } from './public-file.ts';

const Table = z.object({
  fetched_at: z.string(),
  instances: z.array(
    z.object({
      id: z.string(),
      vcpu: z.number(),
      ram_gb: z.number(),
      architecture: z.string(),
      gpu: z.number().optional(),
    }),
  ),
});

/** The date is the one of the table, not of the file. */
export function tableTypes({ text, origin }: PublicFile): {
  readonly date: string;
  readonly origin: string;
  readonly types: readonly TypeRow[];
} {
  const { fetched_at: date, instances } = Table.parse(JSON.parse(text));
  const types = instances.map(({ id, vcpu, ram_gb: memory, architecture, gpu }) => ({
    name: id,
    cpus: vcpu,
    memory,
    arm: architecture === 'arm64',
    ...(gpu !== undefined && { gpus: gpu }),
  }));
  return { date: date.slice(0, 10), origin, types };
}
