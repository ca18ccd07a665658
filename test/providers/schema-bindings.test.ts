/** Schemas are read out of generated classes: names, types, nesting, and what is required. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { schemaFromBindings } from '../../scripts/provider-schemas/from-bindings.ts';

const directory = mkdtempSync(join(tmpdir(), 'kubeloom-classes-'));
afterAll(() => rmSync(directory, { recursive: true }));

const argument = (name: string, value: string, block: boolean, type: string, storage: string): string =>
  `            ${name}: {\n                value: ${value},\n                isBlock: ${block},\n                type: "${type}",\n                storageClassType: "${storage}",\n            },\n`;

const thingScript = `
function thingDiskToHclTerraform(struct) {
    const attrs = {
${argument('size', 'cdktf.numberToHclTerraform(struct.size)', false, 'simple', 'number')}    };
}
function thingPortToHclTerraform(struct) {
    const attrs = {
${argument('number', 'cdktf.numberToHclTerraform(struct.number)', false, 'simple', 'number')}    };
}
class ThingDiskOutputReference extends cdktf.ComplexObject {
    // device_name - computed: true, optional: false, required: false
    get deviceName() {
        return this.getStringAttribute('device_name');
    }
}
class ThingPortOutputReference extends cdktf.ComplexObject {
}
class ThingStateOutputReference extends cdktf.ComplexObject {
    // code - computed: true, optional: false, required: false
    get code() {
        return this.getNumberAttribute('code');
    }
}
class Thing extends cdktf.TerraformResource {
    // state - computed: true, optional: false, required: false
    get state() {
        return new ThingStateList(this, "state", false);
    }
    // addresses - computed: true, optional: false, required: false
    get addresses() {
        return cdktf.Fn.tolist(this.getListAttribute('addresses'));
    }
    synthesizeHclAttributes() {
        const attrs = {
${argument('name', 'cdktf.stringToHclTerraform(this._name)', false, 'simple', 'string')}${argument('tags_of_it', 'cdktf.hashMapperHcl(cdktf.stringToHclTerraform)(this._tagsOfIt)', false, 'map', 'stringMap')}${argument('disk', 'thingDiskToHclTerraform(this._disk.internalValue)', true, 'list', 'ThingDiskList')}${argument('port', 'cdktf.listMapperHcl(thingPortToHclTerraform, false)(this._port.internalValue)', true, 'set', 'ThingPortList')}        };
    }
}
`;
const thingDeclarations = `
export interface ThingConfig extends cdktf.TerraformMetaArguments {
    /**
    * Docs
    */
    readonly name: string;
    /**
    * Docs
    */
    readonly tagsOfIt?: {
        [key: string]: string;
    };
    /**
    * disk block
    *
    * Docs
    */
    readonly disk: ThingDisk;
    /**
    * Docs
    */
    readonly port?: ThingPort[] | cdktf.IResolvable;
}
export interface ThingDisk {
    /**
    * Docs
    */
    readonly size?: number;
}
export interface ThingPort {
    /**
    * Docs
    */
    readonly number: number;
}
`;

beforeAll(() => {
  const put = (folder: string, script: string, declarations: string): void => {
    mkdirSync(join(directory, 'lib', folder), { recursive: true });
    writeFileSync(join(directory, 'lib', folder, 'index.js'), script);
    writeFileSync(join(directory, 'lib', folder, 'index.d.ts'), declarations);
  };
  put('big-thing', thingScript, thingDeclarations);
  put('provider', 'class CloudProvider extends cdktf.TerraformProvider {\n}\n', '');
});

it('the schema of resources is read from generated classes', () => {
  const wanted = { resources: new Set(['cloud_big_thing', 'cloud_absent']), dataSources: new Set<string>() };
  expect(schemaFromBindings(directory, 'cloud', wanted)).toEqual({
    provider: {},
    data_source_schemas: {},
    resource_schemas: {
      cloud_big_thing: {
        attributes: {
          addresses: { type: ['set', 'string'], computed: true },
          name: { type: 'string', required: true },
          port: {
            nested_type: { nesting_mode: 'set', attributes: { number: { type: 'number', required: true } } },
            optional: true,
          },
          state: {
            nested_type: { nesting_mode: 'list', attributes: { code: { type: 'number', computed: true } } },
            computed: true,
          },
          tags_of_it: { type: ['map', 'string'], optional: true },
        },
        block_types: {
          disk: {
            nesting_mode: 'list',
            block: {
              attributes: {
                device_name: { type: 'string', computed: true },
                size: { type: 'number', optional: true },
              },
            },
            min_items: 1,
            max_items: 1,
          },
        },
      },
    },
  });
});
