/** A provider type of another author: the local hosts under another name, described wholly by its folder. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const local = fileURLToPath(new URL('../../templates/terraform/local', import.meta.url));

export const houseHosts = 'house-hosts';

const description = {
  title: 'House hosts',
  firewall: 'none',
  environment: { network: { hosts_dir: 'KUBELOOM_HOSTS_DIR' } },
  properties: {
    type: 'object',
    properties: {
      motto: { type: 'string', minLength: 3, maxLength: 20 },
      floor: { type: 'integer', minimum: 0, maximum: 9 },
      image: { enum: ['debian'] },
    },
    required: ['motto'],
    additionalProperties: false,
  },
};

/** Each machine has a file with its motto, for as long as it exists. */
const motto = `
variable "properties" {
  description = "What the group says about its machines."
  type = object({
    motto = string
    floor = optional(number, 0)
  })
}

resource "terraform_data" "motto" {
  for_each = var.nodes

  input = { file = "\${var.network.site.hosts_dir}/\${each.key}.motto", text = "\${var.properties.motto} \${var.properties.floor}" }

  provisioner "local-exec" {
    command     = "printf '%s' \\"$TEXT\\" > \\"$FILE\\""
    environment = { FILE = self.input.file, TEXT = self.input.text }
  }

  provisioner "local-exec" {
    when        = destroy
    command     = "rm -f \\"$FILE\\""
    environment = { FILE = self.input.file }
  }
}
`;

/** Path below the folder to text. */
export function houseHostsFiles(change: Readonly<Record<string, unknown>> = {}): Record<string, string> {
  const entries = readdirSync(local, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  const files = Object.fromEntries(
    entries.map((file) => {
      const path = join(file.parentPath, file.name);
      return [relative(local, path), readFileSync(path, 'utf8')];
    }),
  );
  return {
    ...files,
    'provider.json': JSON.stringify({ ...description, ...change }),
    'nodepool/motto.tf': motto,
  };
}

/** As files of a repository. */
export function houseHostsRepository(change: Readonly<Record<string, unknown>> = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(houseHostsFiles(change)).map(([path, text]) => [`${houseHosts}/${path}`, text]),
  );
}
