/** Which tool does the work of which stage. */
import type { StageTools } from './stage-context.ts';
import { ansible } from './tools/ansible.ts';
import { kubectl } from './tools/kubectl.ts';
import { kubeone } from './tools/kubeone.ts';
import { terraform } from './tools/terraform.ts';

export const stageTools = {
  infrastructure: terraform,
  configuration: ansible,
  kubernetes: kubeone,
  nodes: kubectl,
  traffic: ansible,
} satisfies StageTools;
