/** An answer in the format that was asked for. */
import { unreachable } from "../../../base/assert.ts";
import { fields } from "./fields.ts";
import { json } from "./json.ts";
import { protobuf } from "./protobuf.ts";
import type { Rendered, Shown, Style } from "./shown.ts";
import { simple } from "./simple.ts";
import { table } from "./table.ts";

export function render(shown: Shown, style: Style): Rendered {
  switch (style.format) {
    case "simple":
      return simple(shown, style);
    case "fields":
      return fields(shown);
    case "json":
      return json(shown);
    case "table":
      return table(shown);
    case "protobuf":
      return protobuf(shown);
    default:
      return unreachable(style.format);
  }
}
