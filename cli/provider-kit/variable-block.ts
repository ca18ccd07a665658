/** A variable of the contract as Terraform writes it. */
import type { ContractVariable } from './contract.ts';

/** As `terraform fmt` leaves it. */
export function variableBlock(
  name: string,
  { type, default: fallback, validation }: ContractVariable,
  description: string,
): string {
  const lines = [
    `  description = ${JSON.stringify(description)}`,
    // terraform fmt aligns what fits on one line only.
    `  type${type.includes('\n') ? '' : '       '} = ${type}`,
    ...(fallback === undefined ? [] : [`  default     = ${fallback}`]),
    ...(validation === undefined
      ? []
      : [
          '',
          '  validation {',
          `    condition     = ${validation.condition}`,
          `    error_message = ${JSON.stringify(validation.message)}`,
          '  }',
        ]),
  ];
  return `variable "${name}" {\n${lines.join('\n')}\n}\n`;
}
