// Draws the report from the data in this file. All texts of players go in as text, never as HTML.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const TEAMS = { red: "#d33b3b", green: "#2f9e4f", blue: "#3b6fd3", purple: "#8e44c9", yellow: "#d9b21c", rogue: "#8a8f98", rabbit: "#e8e8e8", hunter: "#e0822c" };
  const SERIES = 8, LANES = 24, MATRIX = 30;

  function make(tag, text, attributes = {}) {
    const one = document.createElement(tag);
    if (text !== undefined) one.textContent = text;
    for (const [name, value] of Object.entries(attributes)) one.setAttribute(name, value);
    return one;
  }
  const draw = (tag, attributes, text) => {
    const one = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) one.setAttribute(name, value);
    if (text !== undefined) one.textContent = text;
    return one;
  };
  function clock(seconds) {
    const all = Math.round(seconds), two = (number) => String(number).padStart(2, "0");
    return all < 3600 ? `${Math.floor(all / 60)}:${two(all % 60)}` : `${Math.floor(all / 3600)}:${two(Math.floor(all / 60) % 60)}:${two(all % 60)}`;
  }
  const way = (metres) => metres < 10000 ? `${Math.round(metres)} m` : `${(metres / 1000).toFixed(1)} km`;
  const nameOf = (place) => place ? data.players[place - 1].name ?? "(no name)" : "nobody";
  const dot = (team) => make("span", undefined, { class: "team", title: team, style: `background: ${TEAMS[team] ?? "transparent"}` });

  function head() {
    document.title = `${data.recording} - statistics`;
    byId("name").textContent = data.recording;
    const mode = data.matches[0]?.mode;
    byId("about").textContent = [data.game, mode, data.began_utc?.replace("T", " ").replace("Z", " UTC")].filter(Boolean).join(" · ");
    const best = data.players[0], streak = data.players.reduce((a, b) => b.streak > (a?.streak ?? 0) ? b : a, null);
    const far = data.players.reduce((a, b) => b.distance_m > (a?.distance_m ?? 0) ? b : a, null);
    const facts = [[clock(data.length_s), "length"], [data.players.length, "players"], [data.kills, "kills"], [data.deaths, "deaths"]];
    if (data.captures) facts.push([data.captures, "captures"]);
    if (best?.kills) facts.push([best.name ?? "(no name)", `most kills: ${best.kills}`]);
    if (streak?.streak > 1) facts.push([streak.name ?? "(no name)", `longest streak: ${streak.streak}`]);
    if (far?.distance_m >= 1) facts.push([far.name ?? "(no name)", `farthest: ${way(far.distance_m)}`]);
    for (const [value, about] of facts) {
      const card = make("div");
      card.append(make("b", String(value)), make("span", about));
      byId("facts").append(card);
    }
  }

  const COLUMNS = [
    ["kills", "kills", (v) => v, true], ["deaths", "deaths", (v) => v, true], ["team_kills", "team kills", (v) => v], ["own_deaths", "own deaths", (v) => v],
    ["streak", "streak", (v) => v], ["captures", "captures", (v) => v], ["shots", "shots", (v) => v], ["hits", "hits", (v) => v],
    ["accuracy", "accuracy", (v) => `${Math.round(v * 100)} %`], ["distance_m", "distance", way], ["alive_s", "alive", clock],
    ["longest_life_s", "longest life", clock], ["rtt_ms", "ping", (v) => `${Math.round(v)} ms`], ["wins", "server's score", (v, p) => `${v}-${p.losses}`],
  ];
  function board() {
    const columns = COLUMNS.filter(([key, , , always]) => always || data.players.some((p) => p[key]));
    const table = byId("board").querySelector("table"), row = make("tr"), body = make("tbody");
    row.append(make("th", "player", { scope: "col" }));
    const fill = (key) => {
      const players = key ? [...data.players].sort((a, b) => (b[key] ?? -1) - (a[key] ?? -1)) : data.players;
      body.replaceChildren(...players.map((player) => {
        const line = make("tr"), name = make("th", undefined, { scope: "row", title: player.name ?? "" });
        name.append(dot(player.role === "watch" ? "" : player.team), player.name ?? "(no name)");
        line.append(name, ...columns.map(([one, , text]) => make("td", player[one] ? String(text(player[one], player)) : one === "kills" || one === "deaths" ? "0" : player[one] === 0 && one === "wins" ? text(0, player) : "")));
        return line;
      }));
    };
    for (const [key, title] of columns) {
      const cell = make("th", undefined, { scope: "col" }), button = make("button", title, { title: `sort by ${title}` });
      button.onclick = () => {
        for (const other of row.children) other.removeAttribute("aria-sort");
        cell.setAttribute("aria-sort", "descending");
        fill(key);
      };
      cell.append(button);
      row.append(cell);
    }
    const top = make("thead");
    top.append(row);
    table.append(top, body);
    fill();
    if (data.events_left_out) byId("board-note").textContent = `${data.events_left_out} events are not shown: there are more players, teams or causes than can be told apart.`;
  }

  function killed() {
    const fighters = data.players.filter((p) => p.kills + p.deaths).slice(0, MATRIX);
    if (fighters.length < 2 || !data.deaths) return;
    byId("killed").hidden = false;
    const times = new Map(data.killed.map((one) => [`${one.killer ?? one.victim} ${one.victim}`, one.times]));
    const most = data.killed.reduce((most, one) => one.killer ? Math.max(most, one.times) : most, 1);
    const table = byId("killed").querySelector("table"), top = make("thead"), row = make("tr"), body = make("tbody");
    row.append(make("th", "killer ↓  victim →"));
    for (const victim of fighters) row.append(make("th", victim.name ?? "(no name)", { scope: "col", title: victim.name ?? "" }));
    for (const killer of fighters) {
      const line = make("tr"), name = make("th", undefined, { scope: "row" });
      name.append(dot(killer.team), killer.name ?? "(no name)");
      line.append(name);
      for (const victim of fighters) {
        const count = times.get(`${killer.player} ${victim.player}`) ?? 0, own = killer === victim;
        const cell = make("td", count ? String(count) : "·", { title: own ? `${nameOf(victim.player)} died alone ${count}×` : `${nameOf(killer.player)} killed ${nameOf(victim.player)} ${count}×` });
        if (own || !count) cell.className = "own";
        else cell.style.background = `color-mix(in srgb, var(--s2) ${Math.round(10 + 55 * count / most)}%, transparent)`;
        line.append(cell);
      }
      body.append(line);
    }
    top.append(row);
    table.append(top, body);
  }

  function causes() {
    if (!data.causes.length) return;
    byId("causes").hidden = false;
    const all = [...data.causes].sort((a, b) => b.deaths - a.deaths);
    for (const { why, deaths } of all) {
      const bar = make("i");
      bar.style.width = `${100 * deaths / all[0].deaths}%`;
      byId("causes").querySelector(".bars").append(make("span", why ?? "unknown"), bar, make("b", String(deaths)));
    }
  }

  function matches() {
    if (data.matches.length < 2 && !data.matches[0]?.over) return;
    byId("matches").hidden = false;
    const table = byId("matches").querySelector("table"), top = make("thead"), row = make("tr"), body = make("tbody");
    for (const title of ["match", "began", "length", "map", "won by"]) row.append(make("th", title, { scope: "col" }));
    for (const match of data.matches) {
      const line = make("tr");
      line.append(make("td", String(match.match)), make("td", clock(match.began_s)), make("td", clock(match.ended_s - match.began_s)), make("td", match.map ?? ""),
                  make("td", match.winner ? nameOf(match.winner) : match.winning_team ?? (match.over ? "nobody" : "not over")));
      body.append(line);
    }
    top.append(row);
    table.append(top, body);
  }

  // -- Where ----------------------------------------------------------------------------------------------------------
  const KINDS = [["drive", "drive", [31, 111, 191], [124, 196, 255]], ["die", "die", [196, 36, 36], [255, 110, 96]], ["kill", "kill from", [163, 68, 0], [255, 170, 84]], ["shoot", "shoot from", [128, 60, 170], [214, 160, 255]]];
  let chosen = { map: 0, kind: "" };

  /// The counts, spread a little, from 0 to 1.
  function spread({ columns, rows, cells }) {
    let grid = new Float32Array(columns * rows);
    for (let i = 0; i < cells.length; i += 2) grid[cells[i]] = cells[i + 1];
    const weights = [0.38, 0.24, 0.07];
    for (const step of [1, columns]) {
      const next = new Float32Array(grid.length);
      for (let at = 0; at < grid.length; ++at) {
        if (!grid[at]) continue;
        const place = step === 1 ? at % columns : Math.floor(at / columns), most = step === 1 ? columns : rows;
        for (let far = -2; far <= 2; ++far) if (place + far >= 0 && place + far < most) next[at + far * step] += grid[at] * weights[Math.abs(far)];
      }
      grid = next;
    }
    const some = [...grid].filter((value) => value > 0).sort((a, b) => a - b), most = some[Math.floor(some.length * 0.985)] ?? 1;
    return grid.map((value) => Math.sqrt(Math.min(1, value / most)));
  }

  function paintPlan(pen, map, pixel, css) {
    const { west, east, south, north } = map, [wide, high] = [east - west, north - south];
    pen.fillStyle = css("--plan");
    pen.fillRect(west, south, wide, high);
    if (map.ground) {
      const { side, cells } = map.ground, tallest = 64;
      for (let at = 0; at < side * side; ++at) {
        const height = parseInt(cells.slice(2 * at, 2 * at + 2), 16);
        if (!height) continue;
        pen.globalAlpha = 0.12 + 0.6 * Math.min(1, height / tallest);
        pen.fillStyle = css("--edge");
        pen.fillRect(west + at % side * wide / side, north - (Math.floor(at / side) + 1) * high / side, wide / side * 1.02, high / side * 1.02);
      }
      pen.globalAlpha = 1;
    }
    if (map.tiles) {
      const { columns, rows, walls } = map.tiles;
      pen.fillStyle = css("--solid");
      for (let at = 0; at < walls.length; ++at)
        if (walls[at] === "1") pen.fillRect(west + at % columns * wide / columns, north - (Math.floor(at / columns) + 1) * high / rows, wide / columns * 1.01, high / rows * 1.01);
    }
    for (const [x, y, halfX, halfY, yaw, team] of map.solids) {
      pen.save();
      pen.translate(x, y);
      pen.rotate(yaw);
      pen.fillStyle = team ? TEAMS[team] ?? css("--solid") : css("--solid");
      pen.globalAlpha = team ? 0.45 : 0.9;
      pen.fillRect(-halfX, -halfY, 2 * halfX, 2 * halfY);
      pen.globalAlpha = 1;
      pen.lineWidth = pixel;
      pen.strokeStyle = css("--edge");
      pen.strokeRect(-halfX, -halfY, 2 * halfX, 2 * halfY);
      pen.restore();
    }
    pen.lineWidth = 3 * pixel;
    pen.strokeStyle = css("--edge");
    pen.strokeRect(west, south, wide, high);
  }

  function paintMap() {
    const map = data.maps[chosen.map], canvas = byId("plan"), [wide, high] = [map.east - map.west, map.north - map.south];
    const style = getComputedStyle(document.documentElement), css = (name) => style.getPropertyValue(name).trim();
    canvas.parentElement.style.maxWidth = `${Math.max(20, 46 * wide / high)}rem`;
    const dark = matchMedia("(prefers-color-scheme: dark)").matches, [, title, light, bright] = KINDS.find(([key]) => key === chosen.kind);
    const width = Math.round(Math.min(1400, canvas.parentElement.clientWidth * devicePixelRatio)), scale = width / wide, colour = dark ? bright : light;
    canvas.width = width;
    canvas.height = Math.round(high * scale);
    const pen = canvas.getContext("2d");
    pen.setTransform(scale, 0, 0, -scale, -map.west * scale, map.north * scale);
    paintPlan(pen, map, 1 / scale, css);
    const heat = map.heat[chosen.kind], { columns, rows } = map.heat, small = document.createElement("canvas");
    small.width = columns;
    small.height = rows;
    const picture = new ImageData(columns, rows);
    spread({ columns, rows, cells: heat }).forEach((value, at) => picture.data.set([...colour, 235 * value], 4 * at));
    small.getContext("2d").putImageData(picture, 0, 0);
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.imageSmoothingEnabled = true;
    pen.drawImage(small, 0, 0, canvas.width, canvas.height);
    const counted = heat.reduce((sum, value, at) => at % 2 ? sum + value : sum, 0);
    const unit = chosen.kind === "drive" ? "one position a second" : `${chosen.kind === "shoot" ? "shot" : "death"}${counted === 1 ? "" : "s"}`;
    canvas.setAttribute("aria-label", `${map.name ?? "The map"} from above, and where players ${title}`);
    const ramp = make("span", undefined, { class: "ramp" });
    ramp.style.background = `linear-gradient(to right, rgba(${colour}, 0), rgba(${colour}, .92))`;
    byId("legend").replaceChildren(make("span", "seldom"), ramp, make("span", "often"), make("span", `${chosen.kind === "drive" ? "" : `${counted} `}${unit} · ${Math.round(wide)} × ${Math.round(high)} m, north is up`));
  }

  function choices() {
    const map = data.maps[chosen.map], kinds = KINDS.filter(([key]) => map.heat[key].length);
    if (!kinds.some(([key]) => key === chosen.kind)) chosen.kind = kinds.find(([key]) => key === "die")?.[0] ?? kinds[0][0];
    const buttons = (id, all, now, choose) => byId(id).replaceChildren(...all.map(([key, title]) => {
      const button = make("button", title, { "aria-pressed": key === now });
      button.onclick = () => { choose(key); choices(); };
      return button;
    }));
    buttons("kinds", kinds.map(([key, title]) => [key, `Where they ${title}`]), chosen.kind, (key) => { chosen.kind = key; });
    buttons("maps", data.maps.length > 1 ? data.maps.map((one, at) => [at, one.name ?? `map ${at + 1}`]) : [], chosen.map, (at) => { chosen.map = at; });
    byId("maps").hidden = data.maps.length < 2;
    paintMap();
  }

  function where() {
    data.maps = data.maps.filter((map) => KINDS.some(([key]) => map.heat[key].length));
    if (!data.maps.length) return;
    byId("where").hidden = false;
    choices();
  }

  // -- Timeline -------------------------------------------------------------------------------------------------------
  const tell = ([time, what, player, by, text]) => {
    if (what === "match") return `${clock(time)}  a new match${text ? `: ${text}` : ""}`;
    if (what === "capture") return `${clock(time)}  ${nameOf(player)} captured${text ? ` the flag of ${text}` : ""}`;
    return by ? `${clock(time)}  ${nameOf(by)} destroyed ${nameOf(player)} (${text || "unknown"})` : `${clock(time)}  ${nameOf(player)} died (${text || "unknown"})`;
  };

  function ticks(length, room) {
    const step = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400].find((one) => length / one <= room) ?? length;
    return Array.from({ length: Math.floor(length / step) + 1 }, (_, at) => at * step);
  }

  function timeline() {
    if (!data.moments.length || !(data.length_s > 0)) return;
    byId("time").hidden = false;
    const wide = Math.max(300, byId("chart").clientWidth), narrow = wide < 560, left = narrow ? 74 : 130, right = 10;
    const lanes = data.players.filter((p) => p.kills + p.deaths + p.captures).slice(0, LANES), laneOf = new Map(lanes.map((p, at) => [p.player, at]));
    const series = lanes.filter((p) => p.kills).slice(0, SERIES), colourOf = new Map(series.map((p, at) => [p.player, `var(--s${at + 1})`]));
    const chart = series.length ? 170 : 0, top = 14, lane = 22, high = top + chart + (chart ? 34 : 0) + lanes.length * lane + 26, foot = high - 24;
    const x = (time) => left + (wide - left - right) * time / data.ended_s;
    const svg = draw("svg", { viewBox: `0 0 ${wide} ${high}`, role: "img", "aria-label": "Kills, deaths and captures over time" });
    for (const time of ticks(data.ended_s, narrow ? 4 : 10)) {
      svg.append(draw("line", { class: "grid", x1: x(time), x2: x(time), y1: top, y2: foot }), draw("text", { x: x(time), y: high - 8, "text-anchor": "middle" }, clock(time)));
    }
    if (chart) {
      const most = Math.max(...series.map((p) => p.kills)), y = (kills) => top + chart - (chart - 8) * kills / most;
      for (const kills of [...new Set([0, Math.round(most / 2), most])])
        svg.append(draw("line", { class: "grid", x1: left, x2: wide - right, y1: y(kills), y2: y(kills) }), draw("text", { x: left - 8, y: y(kills) + 4, "text-anchor": "end" }, `${kills}${kills === most ? most === 1 ? " kill" : " kills" : ""}`));
      for (const player of series) {
        let kills = 0, path = `M${x(0)} ${y(0)}`;
        for (const [time, what, , by, , teamKill] of data.moments) {
          if (what !== "death" || by !== player.player || teamKill) continue;
          path += `H${x(time).toFixed(1)}V${y(Math.min(++kills, most)).toFixed(1)}`;
        }
        svg.append(draw("path", { d: `${path}H${x(data.ended_s)}`, fill: "none", stroke: colourOf.get(player.player), "stroke-width": 2, "stroke-linejoin": "round" }));
        const key = make("span");
        key.append(make("i", undefined, { style: `background: ${colourOf.get(player.player)}` }), player.name ?? "(no name)");
        byId("series").append(key);
      }
    }
    const first = top + chart + (chart ? 30 : 0), laneY = (at) => first + at * lane + lane / 2;
    lanes.forEach((player, at) => {
      const name = draw("text", { class: "name", x: left - 8, y: laneY(at) + 4, "text-anchor": "end" }), whole = player.name ?? "(no name)", most = narrow ? 9 : 17, letters = [...whole];
      name.textContent = letters.length > most ? `${letters.slice(0, most - 1).join("")}…` : whole;
      name.append(draw("title", {}, whole));
      svg.append(draw("line", { class: "grid", x1: left, x2: wide - right, y1: laneY(at), y2: laneY(at) }), name);
    });
    const event = (shape, moment) => {
      shape.classList.add("event");
      shape.append(draw("title", {}, tell(moment)));
      shape.onclick = () => { byId("told").textContent = tell(moment); };
      svg.append(shape);
    };
    for (const moment of data.moments) {
      const [time, what, player, by] = moment, at = laneOf.get(player), from = laneOf.get(by);
      if (what === "match") event(draw("line", { class: "match", x1: x(time), x2: x(time), y1: top, y2: foot }), moment);
      if (what === "death" && at !== undefined) event(draw("circle", { class: "death", cx: x(time), cy: laneY(at), r: 3, stroke: "var(--dim)" }), moment);
      if (what === "death" && from !== undefined) event(draw("circle", { cx: x(time), cy: laneY(from), r: 4, fill: colourOf.get(by) ?? "var(--key)" }), moment);
      if (what === "capture" && at !== undefined) event(draw("path", { d: `M${x(time) - 2} ${laneY(at) + 8}v-16l11 4.5l-11 4.5`, fill: TEAMS[moment[4]] ?? "var(--key)", stroke: "var(--text)" }), moment);
    }
    byId("told").textContent = "● a kill  ○ a death  ⚑ a capture. Point at one, or tap it.";
    byId("chart").replaceChildren(svg);
  }

  head();
  board();
  killed();
  causes();
  matches();
  where();
  timeline();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { if (data.maps.length) paintMap(); });
  let width = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth === width) return;
    width = innerWidth;
    if (data.maps.length) paintMap();
    byId("series").replaceChildren();
    timeline();
  });
})();
