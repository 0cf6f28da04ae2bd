//! Holds MPI to the contract of `Communicator`, on as many ranks as `mpirun`
//! starts: `mpirun -n 4 target/debug/examples/mpi_contract`.

use bekker_sync::{Communicator, MpiSession, contract};
use std::io::Write;
use std::time::Duration;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let seconds = if arguments.next().as_deref() == Some("hang") { 1 } else { 60 };
    let timeout = Duration::from_secs(seconds);
    let session = MpiSession::begin().ok_or("MPI has begun before")?;
    let mut mpi = session.rank(timeout);
    // in one write, so that two ranks' lines do not mingle
    mpi.on_loss(Box::new(|error, _| {
        let _ = std::io::stderr().write_all(format!("{error}\n").as_bytes());
    }));
    if seconds == 1 {
        // the last rank hangs: the others must report it and end the job
        if mpi.rank() + 1 == mpi.size() {
            std::thread::sleep(Duration::from_secs(600));
        }
        mpi.all_gather(b"here", &mut || (), &mut Default::default())?;
        return Err("no rank detected the loss".into());
    }
    contract::check(&mut mpi)?;
    // the same in small portions, as if all of it passed 2^31 bytes
    mpi.limit_call_bytes(10_000);
    contract::check(&mut mpi)?;
    if mpi.rank() == 0 {
        println!("contract kept on {} ranks", mpi.size());
    }
    Ok(())
}
