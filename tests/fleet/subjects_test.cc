// The names of a fleet on the bus.
#include "proxy/fleet/subjects.h"

#include <doctest/doctest.h>

#include <string>

#include "proxy/base/text.h"

namespace entente::fleet::subjects_test {

TEST_CASE("a token has no characters with a meaning in subjects") {
  CHECK(!objection_to_token("node-1_A"));
  for (const char* bad : {"", "a.b", "a*", ">", "a b", "caf\xc3\xa9", "a\n", "$JS"}) CHECK(objection_to_token(bad));
  CHECK(!objection_to_token(std::string(64, 'a')));
  CHECK(is_text(*objection_to_token(std::string(63, 'a') + "\xc3\xa9")));  // cut between characters
  CHECK(objection_to_token(std::string(65, 'a')));
}

TEST_CASE("a host name becomes a token") {
  CHECK(as_token("edge-1.example.org") == "edge-1-example-org");
  CHECK(!objection_to_token(as_token("a*b>c d.\x7f")));
  CHECK(as_token(std::string(100, 'x')).size() == 64);
}

TEST_CASE("the subjects of two nodes differ in one token, at its place") {
  const Subjects names("entente");
  CHECK(names.facts("field") == "entente.arena.field.facts");
  CHECK(names.to("field", "a") == "entente.arena.field.to.a");
  CHECK(names.from("field", "*") == "entente.arena.field.from.*");
  CHECK(names.order("a") == "entente.node.a.order");
  CHECK(names.answer("a") == "entente.answer.a");
  CHECK(names.operation("list") == "entente.op.list");
  CHECK(names.leases() == "entente-leases");
  CHECK(names.node_of_state(names.state("edge-1")) == "edge-1");
  for (const char* other :
       {"", "entente", "entente.node", "entente.node.a", "entente.node..state", "entente.node.*.state",
        "entente.node.a.order", "entente.node.a.b.state", "other.node.a.state", "entente.op.a.state"})
    CHECK(!names.node_of_state(other));
}

TEST_CASE("the node that publishes a queue is the last token of the subject") {
  const Subjects names("entente");
  CHECK(names.queue("17", "edge-1") == "entente.server.17.queue.edge-1");
  CHECK(names.node_of_queue("17", names.queue("17", "edge-1")) == "edge-1");
  for (const char* other : {"entente.server.18.queue.edge-1", "entente.server.17.queue.", "entente.server.17.queue.a b",
                            "entente.server.17.queue.a.b", "", "edge-1"})
    CHECK_FALSE(names.node_of_queue("17", other));
}

}  // namespace entente::fleet::subjects_test
