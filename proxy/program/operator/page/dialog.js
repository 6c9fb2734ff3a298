// A question before a command: a few fields, and a button that says what will happen.
import { byId, element, tell } from "./parts.js";

const box = byId("dialog"), form = box.querySelector("form");
let act = null;  // of the open question

byId("dialog-cancel").addEventListener("click", () => box.close());
box.addEventListener("close", () => { if (!box.open) act = null; });
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const mine = act;
  if (!mine) return;
  const values = Object.fromEntries([...form.querySelectorAll("[name]")].map((field) => [field.name, field.value.trim()]));
  byId("dialog-do").disabled = true;
  const wrong = await mine(values);
  if (mine !== act) return;  // the question was closed before the answer came
  byId("dialog-do").disabled = false;
  wrong ? tell(byId("dialog-wrong"), wrong) : box.close();
});

/** `fields`: { name: { label, value, options, placeholder, required } }. `does(values)` returns what went wrong, or nothing. */
export function question({ title, about = "", fields = {}, does, button, grave = false }) {
  act = (values) => does(values);  // another function for each question
  tell(byId("dialog-title"), title);
  tell(byId("dialog-about"), about);
  tell(byId("dialog-wrong"), "");
  byId("dialog-do").textContent = button;
  byId("dialog-do").disabled = false;
  byId("dialog-do").className = grave ? "grave" : "";
  byId("dialog-fields").replaceChildren(...Object.entries(fields).map(([name, field]) => {
    const label = element("label", field.label), input = element(field.options ? "select" : "input");
    for (const [value, text] of field.options ?? []) input.append(Object.assign(element("option", text), { value }));
    Object.assign(input, { name, required: Boolean(field.required), maxLength: 400, autocomplete: "off" });
    if (field.value !== undefined) input.value = field.value;
    if (field.placeholder) input.placeholder = field.placeholder;
    label.append(input);
    return label;
  }));
  box.showModal();
}

export const LENGTHS = [["", "for ever"], ["10m", "10 minutes"], ["1h", "1 hour"], ["1d", "1 day"], ["7d", "7 days"], ["30d", "30 days"]];
