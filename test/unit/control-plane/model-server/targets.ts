// Four targets that the model server's tests choose between, and their tool definitions as the filter sends them.
import {
  modelServerOptions,
  type ModelServerInput,
} from "../../../../control-plane/model-server/options.ts";
import { fromDescription } from "../../../../control-plane/model-server/extraction/parameter.ts";

export const TARGETS: NonNullable<ModelServerInput["targets"]> = [
  {
    name: "get_current_weather",
    description: "Get the current weather or the forecast of a city",
    parameters: [
      { name: "city", description: "The city.", required: true },
      { name: "days", description: "Number of days", type: "int", required: true },
      { name: "units", enum: ["celsius", "fahrenheit"], default: "celsius" },
    ],
  },
  {
    name: "convert_currency",
    description: "Convert an amount of money from one currency to another",
    parameters: [
      { name: "amount", type: "float", required: true },
      { name: "from_currency", required: true },
      { name: "to_currency", required: true },
    ],
  },
  {
    name: "reboot_device",
    description: "Reboot a network device",
    parameters: [{ name: "device_id", type: "int", required: true }],
  },
  {
    name: "order_status",
    description: "Where an order is and when it will be delivered",
    parameters: [{ name: "order_number", required: true }],
  },
];

const targets = modelServerOptions.parse({ targets: TARGETS }).targets;

export const LABELS = {
  labels: targets.map(({ name }) => name),
  descriptions: Object.fromEntries(targets.map(({ name, description }) => [name, description])),
  parameters: Object.fromEntries(
    targets.map(({ name, parameters }) => [name, parameters.map((parameter) => parameter.name)]),
  ),
};

export const TOOLS = targets.map(({ name, description, parameters }) => ({
  type: "function",
  function: {
    name,
    description,
    parameters: {
      type: "object",
      properties: Object.fromEntries(
        parameters
          .map(fromDescription)
          .map(({ name, required: _, ...property }) => [name, property]),
      ),
      required: parameters.filter(({ required }) => required).map(({ name }) => name),
    },
  },
}));
