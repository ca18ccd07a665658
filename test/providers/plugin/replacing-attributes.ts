/** Attributes that cannot be changed in place. Schemas do not say it, so they are listed here, from the providers' documents. */
export const replacingAttributes: Readonly<Record<string, readonly string[]>> = {
  toy_key: ['name', 'public_key'],
  toy_network: ['name'],
  toy_machine: ['name', 'image', 'user_data'],
  toy_record: ['zone', 'name'],
};
