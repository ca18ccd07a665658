/** DigitalOcean: its API, with a token; without one the sizes of a public list. */
import { factsFrom, rowOf } from '#domain/catalogue/catalogue-rows.ts';
import { readCloud } from '#runner/catalogue/read-cloud.ts';
import type { CatalogueSource } from '../catalogue-source.ts';

export const catalogue: CatalogueSource = async ({ file, env, today, before }) => {
  const { DIGITALOCEAN_TOKEN: token } = env;
  if (token) return readCloud('digitalocean', { fields: { token }, today });
  if (before === undefined) throw new Error('enter the regions of DigitalOcean by hand');
  const list = await file('sergeykuzmich/terraform-digitalocean-variables', 'do_sizes.tf');
  return { ...before, serverTypes: factsFrom(list, 'sizes', listedSizes(list.text)) };
};

/** `description = "1GB RAM; 1 CPU; 25GB SSD - $6/mo"` and then `default = "s-1vcpu-1gb"`. */
function listedSizes(text: string): string[] {
  const found = text.matchAll(/description = "(\d+)(GB|MB) RAM; (\d+) CPU[^"]*"\s+default +=\s+"([^"]+)"/g);
  return [...found].map(([, amount, unit, cpus, name = '']) =>
    rowOf({ name, cpus: Number(cpus), memory: unit === 'MB' ? Number(amount) / 1024 : Number(amount), arm: false }),
  );
}
