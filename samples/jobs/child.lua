-- Fired by the success of its parent; it has no schedule of its own.
gw.log("sending the report of the collected orders")
